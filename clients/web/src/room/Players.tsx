/** The player of a seat, with color, score, clock, and whether they are connected. */

import type { GameDocument, RoomState, Seat } from "@pierule/client";
import { Beside } from "../archive/Beside";
import { PlayerLink } from "../archive/PlayerLink";
import { numberText } from "../games/words";
import { ChallengeLink } from "../home/ChallengeLink";
import { challengeableIn } from "../home/lately";
import { connected } from "../server";
import { texts } from "../texts";
import { ClockFace } from "./ClockFace";
import { Laurel } from "./Laurel";
import { isBehind, isPaused } from "./offers";
import { colorOf } from "./seats";
import { Since } from "./Since";
import type { Table } from "./table";

/** What to call a seat: its player's name, or while it is free its part in the game. */
export function nameOf(table: Table, seat: Seat): string {
  const holder = table.state.value?.seats[seat];
  return holder ? holder.name || texts.value.room.unnamed : roleOf(seat);
}

const roleOf = (seat: Seat): string => texts.value.room[seat === 0 ? "first" : "second"];

/** The name of the section of a seat: of two with the same name, each says which seat it is. */
function sectionOf(table: Table, seat: Seat): string {
  const name = nameOf(table, seat);
  return name === nameOf(table, seat === 0 ? 1 : 0) ? `${name}, ${roleOf(seat)}` : name;
}

const isActing = (state: RoomState, seat: Seat): boolean =>
  state.status === "running" && state.position.to_act === seat && !isPaused(state);

interface PlayerProps {
  table: Table;
  game: GameDocument;
  seat: Seat;
}

export function Player({ table, game, seat }: PlayerProps) {
  const { room } = texts.value;
  const state = table.state.value!;
  const color = colorOf(state.position.black, seat);
  const mine = table.seats.value.includes(seat);
  const acts = isActing(state, seat);
  const won = state.result?.winner === seat;
  const shown = table.position.value ?? state.position;
  return (
    <section
      class={`player${acts ? " acts" : ""}${won ? " winner" : ""}`}
      aria-label={sectionOf(table, seat)}
    >
      <span class={`token ${color ?? "none"}`} aria-hidden="true" />
      <div class="who">
        <Name table={table} seat={seat} />
        <Facts table={table} seat={seat} />
      </div>
      {color && (
        <span
          class="score"
          title={shown.komi && color === "white" ? numberText(game, "komi", shown.komi) : undefined}
        >
          <span class="aloud">{room.score} </span>
          {shown.score[color === "black" ? 0 : 1]}
        </span>
      )}
      <ClockFace
        state={state}
        seat={seat}
        mine={mine}
        behind={isBehind(state, table.seats.value)}
        gone={table.isGone.value}
        who={nameOf(table, seat)}
      />
    </section>
  );
}

/** Who sits there: their rating, and whether they are a bot, you, or the winner. */
function Name({ table, seat }: { table: Table; seat: Seat }) {
  const { room, home } = texts.value;
  const state = table.state.value!;
  const holder = state.seats[seat];
  return (
    <span class="name">
      {holder ? (
        <span class="called">
          <PlayerLink name={nameOf(table, seat)} of={holder.user} />
        </span>
      ) : (
        <em>{room.free}</em>
      )}
      <Beside standing={holder?.standing} />
      {holder?.bot && <span class="tag">{home.bot}</span>}
      {table.seats.value.includes(seat) && <span class="tag">{room.you}</span>}
      {state.result?.winner === seat && <Laurel />}
    </span>
  );
}

/** Whether the player is connected, which color they have, and whether they are to act. */
function Facts({ table, seat }: { table: Table; seat: Seat }) {
  const { room, colors, clocks } = texts.value;
  const state = table.state.value!;
  const color = colorOf(state.position.black, seat);
  const here = table.presence.value?.players[seat] ?? false;
  const gone = table.presence.value?.gone?.[seat] ?? null;
  const holder = state.seats[seat];
  const lag = table.lag.value?.seat === seat ? table.lag.value.given : null;
  return (
    <span class="facts">
      {/* Without a connection, or news of the room, nobody knows who is here. */}
      {holder && connected.value && !table.isGone.value && (
        <span class={`presence ${here ? "here" : "away"}`}>
          <span class="dot" aria-hidden="true" />
          {here ? room.here : room.away}
          {gone !== null && <Since at={gone} />}
        </span>
      )}
      <span>{color ? colors[color] : seat === 0 ? room.first : room.second}</span>
      {isActing(state, seat) && <span class="turn">{room.toAct}</span>}
      {state.status === "over" && holder && <ChallengeLink of={challengeableIn(holder)} />}
      {lag !== null && (
        <span class="lag" title={clocks.lagWhy}>
          {clocks.lag((lag / 1000).toFixed(1))}
        </span>
      )}
    </span>
  );
}
