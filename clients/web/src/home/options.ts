/** The clocks and the rating ranges that the page offers, and their names. */

import type { Control, Create, SeekOptions } from "@pierule/client";
import type { Texts } from "../texts";

export const CLOCKS: readonly Create["clock"][] = [
  null,
  { kind: "fischer", main: 180, increment: 2 },
  { kind: "fischer", main: 300, increment: 3 },
  { kind: "fischer", main: 600, increment: 5 },
  { kind: "fischer", main: 1200, increment: 10 },
  { kind: "byoyomi", main: 600, periods: 3, period: 30 },
  { kind: "turnwise", time: 60 },
  { kind: "correspondence", days: 1 },
  { kind: "correspondence", days: 3 },
];

/** By how many rating points an opponent may differ; null: by any number. */
export const RANGES: readonly (number | null)[] = [null, 200, 100];

/** A clock in a few words. */
export function clockText({ clocks }: Texts, control: Control | null | undefined): string {
  const time = (seconds: number) =>
    seconds && seconds % 60 === 0 ? clocks.minutes(seconds / 60) : clocks.seconds(seconds);
  if (!control) return clocks.none;
  switch (control.kind) {
    case "fischer":
      return clocks.fischer(time(control.main), control.increment ?? 0);
    case "byoyomi":
      return clocks.byoyomi(time(control.main), control.periods, time(control.period));
    case "turnwise":
      return clocks.turnwise(time(control.time));
    case "correspondence":
      return clocks.correspondence(control.days);
    default:
      return clocks.unknown;
  }
}

/** What was chosen for a seek besides game, size and clock: whether the game is rated, and by how much the
 * opponent's rating may differ. */
export function wishesText(
  { rating }: Texts,
  { rated, range }: Pick<SeekOptions, "rated" | "range">,
): string {
  const points = range?.below ?? null;
  const said = [
    rated === "yes" || rated === "no" ? `${rating.label}: ${rating.wishes[rated]}` : "",
    points === null ? "" : `${rating.range}: ${rating.within(points)}`,
  ];
  return said.filter(Boolean).join(", ");
}
