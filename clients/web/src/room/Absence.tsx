/** A player who is gone: how long to wait, and what the other player can do then (SPEC 25). */

import type { Seat } from "@pierule/client";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { announce } from "../announce";
import { texts } from "../texts";
import { nameOf } from "./Players";
import { otherOf } from "./seats";
import { useNow } from "./Since";
import type { Table } from "./table";
import { wholeText } from "./times";
import { UnderWay } from "./UnderWay";

/** A player who is away for less than this, in ms, is only connecting again: that is no news. */
const UNNOTICED = 5_000;

/** A player whose opponent is gone: their seat, since when the opponent is gone, and from when they may claim. */
interface Absent {
  seat: Seat;
  since: number;
  from: number;
}

export function absenceOf({ seats, state, presence }: Table): Absent | null {
  const seat = seats.value[0];
  if (seats.value.length !== 1 || seat === undefined || state.value!.status !== "running") return null;
  const { gone, claim } = presence.value ?? {};
  const [since, from] = [gone?.[otherOf(seat)], claim?.[otherOf(seat)]];
  return since == null || from == null ? null : { seat, since, from };
}

/** For a player whose opponent is gone: how long to wait, and then the choice. */
export function Absence({ table }: { table: Table }) {
  const absent = absenceOf(table);
  if (!absent) return null;
  return <Later at={absent.since + UNNOTICED} show={() => <Claim table={table} {...absent} />} />;
}

/** Shows something from a moment on, by the server's time. */
export function Later({ at, show }: { at: number; show: () => ComponentChildren }) {
  return <>{useNow() >= at && show()}</>;
}

function Claim({ table, seat, from }: { table: Table; seat: Seat; from: number }) {
  const { absence } = texts.value;
  const left = from - useNow();
  const may = left <= 0;
  const who = nameOf(table, otherOf(seat));
  useEffect(() => announce(may ? absence.may(who) : absence.gone(who)), [may, who]);
  const claim = (outcome: "win" | "abort") => void table.claim(outcome, seat);
  return (
    <section class="absence" aria-label={absence.title}>
      <p>{may ? absence.may(who) : `${absence.gone(who)} ${absence.wait(wholeText(left))}`}</p>
      <UnderWay table={table} kinds={["claim"]} />
      {may && (
        <div class="buttons">
          <button class="primary" onClick={() => claim("win")}>
            {absence.win}
          </button>
          <button onClick={() => claim("abort")}>{absence.abort}</button>
        </div>
      )}
    </section>
  );
}
