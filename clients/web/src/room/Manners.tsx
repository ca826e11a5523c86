/** What the players offer each other (SPEC 19): to accept, to decline, to withdraw, and to offer. */

import type { Seat } from "@pierule/client";
import { refusalText } from "../refusals";
import { welcome } from "../server";
import { texts } from "../texts";
import { SEATS, mayAbort, offerable, otherOf, type OfferNews } from "./offers";
import { nameOf } from "./Players";
import { Sure } from "./Sure";
import type { Table } from "./table";

/** The offers that stand, and what has become of others just now. */
export function Offers({ table }: { table: Table }) {
  const { manners } = texts.value;
  const { offers, turn } = table.state.value!;
  const standing = SEATS.filter((seat) => offers?.[seat]);
  const ended = table.offers.value.filter(({ how }) => how !== "offered");
  if (!standing.length && !ended.length) return null;
  return (
    <section class="offers" aria-label={manners.title}>
      {standing.map((seat) => (
        // With another offer come other buttons: a press that began on the old ones does nothing.
        <Standing key={`${seat} ${offers![seat]} ${turn}`} table={table} by={seat} />
      ))}
      {ended.map((news) => (
        <p key={news.by} class="note">
          {newsText(table, news)}
        </p>
      ))}
    </section>
  );
}

/** What has become of an offer, in a sentence. */
export function newsText(table: Table, { how, what, by }: OfferNews): string {
  const { manners } = texts.value;
  const noun = manners.nouns[what];
  switch (how) {
    case "offered":
      return manners.offered[what](nameOf(table, by));
    case "declined":
      return manners.declined(nameOf(table, otherOf(by)), noun);
    case "withdrawn":
      return manners.withdrawn(nameOf(table, by), noun);
    default:
      return manners[how](noun);
  }
}

/** An offer that stands: what it is, and what one can do about it. */
function Standing({ table, by }: { table: Table; by: Seat }) {
  const { manners } = texts.value;
  const { offers, turn } = table.state.value!;
  const what = offers![by]!;
  const [mine, other] = [table.seats.value.includes(by), table.seats.value.includes(otherOf(by))];
  return (
    <div class={`offer${other ? " asked" : ""}`}>
      <p>{mine ? manners.standing[what] : manners.offered[what](nameOf(table, by))}</p>
      {(mine || other) && (
        <div class="buttons">
          {other && (
            <button class="primary" onClick={() => void table.accept(what, turn, otherOf(by))}>
              {manners.accept}
            </button>
          )}
          {other && !mine && (
            <button onClick={() => void table.ask({ type: "decline", what, seat: otherOf(by) })}>
              {manners.decline}
            </button>
          )}
          {mine && (
            <button onClick={() => void table.ask({ type: "withdraw", what, seat: by })}>
              {manners.withdraw}
            </button>
          )}
        </div>
      )}
    </div>
  );
}

/** What a player can offer, and how the game can be given up or called off. */
export function Choices({ table }: { table: Table }) {
  const { manners, room } = texts.value;
  const state = table.state.value!;
  const seats = table.seats.value;
  if (!seats.length) return null;
  const alone = seats.length === 2;
  const seat = alone ? table.lastSeat() : seats[0]!;
  const draws = welcome.value?.games.find(({ game }) => game === state.position.game)?.draws ?? false;
  const offers = offerable(state, seat, draws);
  const abort = seats.find((each) => mayAbort(state, each));
  const resigns = state.status === "running";
  const refused = table.refused.value;
  if (!offers.length && abort === undefined && !resigns && !refused) return null;
  return (
    <div class="manners buttons">
      {offers.map((what) => (
        <button
          key={what}
          class={what === "rematch" || what === "resume" ? "primary" : ""}
          onClick={() => void table.offer(what, seat)}
        >
          {alone ? manners.alone[what] : manners.offer[what]}
        </button>
      ))}
      {abort !== undefined && (
        <Sure
          label={state.status === "open" ? manners.close : manners.abort}
          question={manners.abortSure}
          yes={manners.abortYes}
          act={() => void table.ask({ type: "abort", seat: abort })}
        />
      )}
      {resigns && (
        <Sure
          label={room.resign}
          question={room.resignSure}
          yes={room.resignYes}
          act={() => void table.ask({ type: "resign", seat: alone ? null : seat })}
        />
      )}
      {refused && (
        <p class="refusal" role="alert">
          {refusalText(refused)}
        </p>
      )}
    </div>
  );
}
