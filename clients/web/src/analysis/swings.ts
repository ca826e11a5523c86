/** What evaluations say about a line (SPEC 27.17): whose curve it is, and which actions lost most. Pure. */

import type { archive } from "@pierule/client";

/** How much an action must cost its player to be worth telling. */
const LEAST_LOSS = 0.05;
const MOST_SWINGS = 3;

/** A position of a line, and the result that seat 0 can expect after the next action of the line. */
export interface Step {
  readonly here: archive.Evaluated | null;
  readonly played: number | null;
}

export interface Swing {
  /** The ply before the action. */
  readonly ply: number;
  readonly best: string;
  /** The result that the player could expect with the best action, and after the one that was played. */
  readonly before: number;
  readonly after: number;
}

/** The result that a seat can expect, from what seat 0 can. */
export const forSeat = (seat: number, expected: number): number => (seat === 0 ? expected : 1 - expected);

/** The seat whose curve is drawn: Black's, or the first player's before there are colors. */
export const seatOf = (steps: readonly Step[]): number =>
  steps.reduce<number | null>((found, { here }) => here?.black ?? found, null) ?? 0;

/** The actions by which a player lost most, the greatest loss first. */
export function swingsOf(steps: readonly Step[]): Swing[] {
  const found: Swing[] = [];
  for (const [ply, { here, played }] of steps.entries()) {
    if (!here || here.to_act === null || here.best === null || played === null) continue;
    const [before, after] = [here.expected, played].map((each) => forSeat(here.to_act!, each));
    if (before! - after! >= LEAST_LOSS) found.push({ ply, best: here.best, before: before!, after: after! });
  }
  const loss = ({ before, after }: Swing) => before - after;
  return found.sort((one, other) => loss(other) - loss(one) || one.ply - other.ply).slice(0, MOST_SWINGS);
}
