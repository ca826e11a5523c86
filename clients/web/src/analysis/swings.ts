/** What evaluations say of a line (SPEC 27.17): a color's share, and where most was lost. Pure. */

import type { archive } from "@pierule/client";

/** An action that cost its player more than this is worth telling. */
const LEAST_LOSS = 0.05;
const MOST_SWINGS = 3;

/** A position of a line, and what seat 0 may expect after the action that follows there. */
export interface Step {
  readonly here: archive.Evaluated | null;
  readonly played: number | null;
}

export interface Swing {
  /** How many actions stand before the one that was played. */
  readonly ply: number;
  readonly best: string;
  /** What the player could expect with the best action, and could after the one that was played. */
  readonly before: number;
  readonly after: number;
}

/** What a seat may expect, from what seat 0 may. */
export const forSeat = (seat: number, expected: number): number => (seat === 0 ? expected : 1 - expected);

/** The seat whose curve a line is drawn as: that of Black, or while nobody has it that of the first player. */
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
