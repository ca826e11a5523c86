/** A player who is gone: for how long, until when that is waited for, and what can be done then
 * (SPEC 25). */

import type { Seat } from "@pierule/client";
import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { announce } from "../announce";
import { texts } from "../texts";
import { otherOf } from "./offers";
import { nameOf } from "./Players";
import { useNow, wholeText } from "./Since";
import type { Table } from "./table";
import { UnderWay } from "./UnderWay";

/** Who is away for so short a time, in ms, only connects again: that is no news. */
const UNNOTICED = 5_000;

/** For a player: until when the other player is waited for, and then the choice. */
export function Absence({ table }: { table: Table }) {
  const seats = table.seats.value;
  const seat = seats[0];
  if (seats.length !== 1 || seat === undefined || table.state.value!.status !== "running") return null;
  const { gone, claim } = table.presence.value ?? {};
  const [since, from] = [gone?.[otherOf(seat)], claim?.[otherOf(seat)]];
  if (since == null || from == null) return null;
  return <Later at={since + UNNOTICED} show={() => <Claim table={table} seat={seat} from={from} />} />;
}

/** Shows something from a time of the server on. */
function Later({ at, show }: { at: number; show: () => ComponentChildren }) {
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
