/** What an action changed on a board, and how the game's document wants it shown and told (SPEC 26.8).
 * Pure. */

import type { GameDocument } from "@pierule/client";
import { pointName, pointsOf } from "./geometry";

/** How a point changed. */
export interface Change {
  /** How that is shown. */
  motion: string;
  /** The entry of the document's `changes` that says so; null: none does. */
  entry: number | null;
  /** What stood here. */
  was: number;
  /** The point that its piece comes from; null: it comes from nowhere on the board. */
  from: number | null;
  /** When it is shown: first what the action names, point by point, then everything that follows from it. */
  step: number;
}

type Cells = readonly number[];

/** The changes by point, of the action that led from one board to the other. */
export function changesOf(
  { changes = [], segments = false }: GameDocument,
  size: number,
  before: Cells | null,
  after: Cells,
  action: string | null,
): ReadonlyMap<number, Change> {
  const found = new Map<number, Change>();
  if (before?.length !== after.length || action === null) return found;
  const points = inOrder(pointsOf(action, size, segments), before, after);
  after.forEach((cell, index) => {
    const was = before[index]!;
    if (was === cell) return;
    const entry = changes.findIndex(
      ({ of, to, named = null }) =>
        of.includes(was) && to.includes(cell) && (named === null || named === points.includes(index)),
    );
    const plain = !was ? "appear" : cell ? "turn" : "vanish";
    found.set(index, {
      motion: changes[entry]?.motion ?? plain,
      entry: entry < 0 ? null : entry,
      was,
      from: was ? null : cameFrom(points, before, after, index),
      step: points.includes(index) ? points.indexOf(index) : points.length,
    });
  });
  return found;
}

/** The points of an action in the order in which they appear: a segment grows out of a piece of its own
 * color. */
function inOrder(points: number[], before: Cells, after: Cells): number[] {
  const [first, second] = points;
  const last = points.at(-1);
  if (points.length < 2 || first === undefined || second === undefined || last === undefined) return points;
  const step = second - first;
  const isLine = points.every((point, at) => point === first + at * step);
  const own = after[first]!;
  const grows = before[first - step] !== own && before[last + step] === own;
  return isLine && grows ? [...points].reverse() : points;
}

/** The point from which the piece here came, if the action names that point. */
const cameFrom = (points: number[], before: Cells, after: Cells, index: number): number | null =>
  points.find((point) => before[point] && !after[point] && before[point] === after[index]) ?? null;

/** The points that changed as an entry says. */
export const pointsChanged = (changes: ReadonlyMap<number, Change>, entry: number, size: number): string[] =>
  [...changes].filter(([, change]) => change.entry === entry).map(([index]) => pointName(index, size));
