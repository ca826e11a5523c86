/** What the players offer each other (SPEC 19), with the buttons that offer, accept, decline and withdraw. */

import type { Seat, What } from "@pierule/client";
import { useState } from "preact/hooks";
import { once } from "../pressing";
import { refusalText } from "../refusals";
import { connected, welcome } from "../server";
import { texts } from "../texts";
import { mayAbort, offerable, spentOf, takenBack, type OfferUpdate } from "./offers";
import { nameOf } from "./Players";
import { Refusal } from "./Refusal";
import { SEATS, otherOf } from "./seats";
import { Sure } from "./Sure";
import type { Table } from "./table";
import { UnderWay } from "./UnderWay";

/** The offers that stand, and what has just become of others. */
export function Offers({ table }: { table: Table }) {
  const { agreements } = texts.value;
  const { offers, turn } = table.state.value!;
  const standing = SEATS.filter((seat) => offers?.[seat]);
  const ended = table.offers.value.filter(({ how }) => how !== "offered");
  if (!standing.length && !ended.length) return null;
  return (
    <section class="offers" aria-label={agreements.title}>
      {standing.map((seat) => (
        // Another offer gets new buttons, so that a press that began on the old ones does nothing.
        <Standing key={`${seat} ${offers![seat]} ${turn}`} table={table} by={seat} />
      ))}
      {ended.map((news) => (
        <p key={news.by} class="note">
          {newsText(table, news)}
        </p>
      ))}
      <UnderWay table={table} kinds={["accept", "decline", "withdraw"]} />
    </section>
  );
}

/** A sentence about what has become of an offer. */
export function newsText(table: Table, { how, what, by }: OfferUpdate): string {
  const { agreements } = texts.value;
  const noun = agreements.nouns[what];
  switch (how) {
    case "offered":
      return offeredText(table, what, by);
    case "declined":
      return agreements.declined(nameOf(table, otherOf(by)), noun);
    case "withdrawn":
      return agreements.withdrawn(nameOf(table, by), noun);
    default:
      return agreements[how](noun);
  }
}

/** What a player offers, told to anyone else. */
export function offeredText(table: Table, what: What, by: Seat): string {
  const yours = table.seats.value.includes(otherOf(by));
  return texts.value.agreements.offered[what](nameOf(table, by), takenBack(table.state.value!, by), yours);
}

/** An offer that stands: what it is, and what you can do about it. */
function Standing({ table, by }: { table: Table; by: Seat }) {
  const { agreements } = texts.value;
  const { offers, turn } = table.state.value!;
  const what = offers![by]!;
  const [mine, other] = [table.seats.value.includes(by), table.seats.value.includes(otherOf(by))];
  return (
    <div class={`offer${other ? " asked" : ""}`}>
      <p>{mine ? agreements.standing[what] : offeredText(table, what, by)}</p>
      {(mine || other) && (
        <div class="buttons">
          {other && (
            <button
              class="primary"
              aria-disabled={isWaiting(table)}
              onClick={() => void table.accept(what, turn, otherOf(by))}
            >
              {agreements.accept}
            </button>
          )}
          {other && !mine && (
            <button aria-disabled={isWaiting(table)} onClick={() => void table.decline(what, otherOf(by))}>
              {agreements.decline}
            </button>
          )}
          {mine && (
            <button
              class="withdraw"
              aria-disabled={isWaiting(table)}
              onClick={() => void table.withdraw(what, by)}
            >
              {agreements.withdraw}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** What takes the place of the button of an offer. */
export const WITHDRAW = ".offers .withdraw";

/** Whether something waits for a connection. Until then, nothing else can be asked for. */
const isWaiting = (table: Table): boolean => !connected.value && table.asked.value.length > 0;

/** What a player can offer while the game goes on, and the buttons to resign or to call it off. */
export function Choices({ table }: { table: Table }) {
  const [repeated, setRepeated] = useState(-1); // the turn in which a player tried to offer something again
  const state = table.state.value!;
  const seats = table.seats.value;
  if (!seats.length || state.status === "over" || table.isGone.value) return null;
  const alone = seats.length === 2;
  const seat = alone ? table.lastSeat() : seats[0]!;
  const draws = welcome.value?.games.find(({ game }) => game === state.position.game)?.draws ?? false;
  const offers = offerable(state, seat, draws);
  const abort = seats.find((each) => mayAbort(state, each));
  const resigns = state.status === "running";
  const spent = spentOf(table.made.value, seat, offers);
  const refused = table.refused.value;
  if (!offers.length && abort === undefined && !resigns && !refused) return null;
  return (
    <div class="agreements buttons">
      {offers.map((what) => (
        <Offer key={what} table={table} what={what} seat={seat} repeat={() => setRepeated(state.turn)} />
      ))}
      {abort !== undefined && <Abort table={table} seat={abort} />}
      {resigns && <Resign table={table} seat={alone ? null : seat} />}
      <UnderWay table={table} kinds={["resign", "abort", "offer"]} />
      {repeated === state.turn && spent.length ? (
        <Refusal text={spentText(spent)} />
      ) : (
        refused && <Refusal text={refusalText(refused)} />
      )}
      {repeated !== state.turn && spent.length > 0 && (
        <p id="spent" class="hint-text">
          {spentText(spent)}
        </p>
      )}
    </div>
  );
}

/** Why something cannot be offered. */
function spentText(spent: readonly What[]): string {
  const { agreements } = texts.value;
  return agreements.made(spent.map((what) => agreements.nouns[what]).join(texts.value.and));
}

interface OfferProps {
  table: Table;
  what: What;
  seat: Seat;
  /** Tell the player that they cannot offer this again yet. */
  repeat: () => void;
}

/** Offers something. A player can offer each thing once before the next action. */
function Offer({ table, what, seat, repeat }: OfferProps) {
  const { agreements } = texts.value;
  const label = table.seats.value.length === 2 ? agreements.alone[what] : agreements.offer[what];
  const made = table.made.value.offers.includes(`${seat} ${what}`);
  return (
    <button
      class={what === "resume" ? "primary" : ""}
      aria-disabled={made || isWaiting(table)}
      aria-describedby={made ? "spent" : undefined}
      data-then={WITHDRAW}
      onClick={once(() => (made ? repeat() : void table.offer(what, seat)))}
    >
      {label}
    </button>
  );
}

function Abort({ table, seat }: { table: Table; seat: Seat }) {
  const { agreements } = texts.value;
  return (
    <Sure
      label={table.state.value!.status === "open" ? agreements.close : agreements.abort}
      question={agreements.abortSure}
      yes={agreements.abortYes}
      disabled={isWaiting(table)}
      act={() => void table.abort(seat)}
    />
  );
}

/** Gives the game up, for the seat that is to act if `seat` is null. */
function Resign({ table, seat }: { table: Table; seat: Seat | null }) {
  const { room } = texts.value;
  return (
    <Sure
      label={room.resign}
      question={room.resignSure}
      yes={room.resignYes}
      disabled={isWaiting(table)}
      act={() => void table.resign(seat)}
    />
  );
}
