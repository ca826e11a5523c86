/** The end of a game: who won and why, and what to do next. There is one main button. */

import type { GameDocument, RoomState, Seat } from "@pierule/client";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { isArchived } from "../archive/source";
import { levelOf } from "../home/bots";
import { roomLink } from "../links";
import { seek, seekBot, seeking } from "../meeting/meeting";
import { ratedFrom } from "../notices";
import { once } from "../pressing";
import { refusalText } from "../refusals";
import { gamePath, roomPath } from "../route";
import { connected, welcome } from "../server";
import { texts } from "../texts";
import { WITHDRAW } from "./Agreements";
import { endText, lookingAt } from "./news";
import { offerable, spentOf } from "./offers";
import { WhyClosed } from "./WhyClosed";
import { nameOf } from "./Players";
import { Change } from "./Rated";
import { Refusal } from "./Refusal";
import { otherOf } from "./seats";
import { Share } from "./Share";
import type { Table } from "./table";
import { UnderWay } from "./UnderWay";

/** For how long after the end of a game the buttons ignore taps, in ms: they may be meant for what was there
 * before. */
const SETTLE = 700;

interface EndingProps {
  table: Table;
  game: GameDocument;
  /** Whether you saw the game end, so that other buttons were here just now. */
  live: boolean;
}

export function Ending({ table, game, live }: EndingProps) {
  const state = table.state.value!;
  const refused = table.refused.value;
  const [shares, setShares] = useState(false);
  const [settled, settle] = useState(!live);
  useEffect(() => {
    const timer = setTimeout(() => settle(true), SETTLE);
    return () => clearTimeout(timer);
  }, []);
  useLayoutEffect(toTop, []);
  return (
    <div class="controls ending">
      <p class="prompt result">{endText(table, game)}</p>
      <Change state={state} />
      <WhyClosed state={state} />
      <div class={settled ? "buttons" : "buttons unsettled"}>
        <Next table={table} />
        <Review table={table} game={game} primary={!table.seats.value.length} />
        {(state.access !== "private" || table.invitation !== null) && (
          <button aria-expanded={shares} onClick={() => setShares(!shares)}>
            {texts.value.ending.share}
          </button>
        )}
      </div>
      {shares && <Share link={roomLink(state, table.invitation)} label={texts.value.room.shareWatch} />}
      <UnderWay table={table} kinds={["offer"]} />
      {refused && <Refusal text={refusalText(refused)} />}
    </div>
  );
}

/** Bring the board and the result into sight, unless you are writing. */
function toTop(): void {
  if (!document.activeElement?.matches("input, textarea"))
    document.getElementById("main")?.scrollTo({ top: 0 });
}

/** The next game: the same two again, or somebody else. */
function Next({ table }: { table: Table }) {
  const { agreements, ending, room } = texts.value;
  const state = table.state.value!;
  const seats = table.seats.value;
  if (state.rematch)
    return (
      <a class="button primary" href={roomPath(state.rematch, table.invitation)}>
        {agreements.toRematch}
      </a>
    );
  if (!seats.length) return null;
  const whole = !state.seats.includes(null);
  return (
    <>
      {whole && <Again table={table} seat={seats[0]!} />}
      {whole && seats.length === 1 && !rivalOf(state, seats[0]!)?.bot ? (
        <button aria-disabled={!!seeking()} onClick={once(() => seekAgain(state))}>
          {ending.other}
        </button>
      ) : (
        <a class={`button${whole ? "" : " primary"}`} href="#/">
          {room.rematchHome}
        </a>
      )}
    </>
  );
}

const rivalOf = ({ seats }: RoomState, seat: Seat) => seats[otherOf(seat)];

const wantedOf = ({ position: { game, size }, control }: RoomState) => ({
  game,
  size,
  clock: control ?? null,
});

function seekAgain(state: RoomState): void {
  const { game, size, clock } = wantedOf(state);
  if (!seeking()) seek(game, size, clock, { rated: ratedFrom.value ? "no" : (state.rated ?? "either") });
}

/** Plays the same opponent again. A bot that has left the room comes to a new one. */
function Again({ table, seat }: { table: Table; seat: Seat }) {
  const { agreements, bots } = texts.value;
  const state = table.state.value!;
  const alone = table.seats.value.length === 2;
  const rival = rivalOf(state, seat);
  const level = rival?.bot ? levelOf(rival.user) : null;
  const gone = table.presence.value?.players[otherOf(seat)] === false;
  const anew = level !== null && gone && !!welcome.value?.features.includes("bot_levels");
  // What has become of an offer is told below the buttons.
  const may = offerable(state, seat, false).includes("rematch");
  if (!anew && (!may || spentOf(table.made.value, seat, ["rematch"]).length)) return null;
  const label = alone ? agreements.alone.rematch : agreements.offer.rematch;
  const waits = anew ? !!seeking() : !connected.value && table.asked.value.length > 0;
  const again = () => {
    if (!anew) return void table.offer("rematch", seat);
    if (!seeking()) seekBot(level, wantedOf(state), state.rated ?? "either");
  };
  return (
    <button class="primary" aria-disabled={waits} data-then={WITHDRAW} onClick={once(again)}>
      {rival?.bot && !alone ? bots.again(nameOf(table, otherOf(seat))) : label}
    </button>
  );
}

/** Shows the game again from the beginning: in the archive, or here if there is none. */
function Review({ table, game, primary }: Omit<EndingProps, "live"> & { primary: boolean }) {
  const { ending } = texts.value;
  const state = table.state.value!;
  const kind = primary && !state.rematch ? "button primary" : "button";
  if (!state.ply) return null;
  if (state.access !== "private" && isArchived.value)
    return (
      <a class={kind} href={gamePath(state.room)}>
        {ending.review}
      </a>
    );
  return (
    <button class={kind} onClick={() => lookingAt(table, game)(0)}>
      {ending.review}
    </button>
  );
}
