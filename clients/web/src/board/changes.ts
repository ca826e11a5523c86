/** What an action has changed on a board, as a game's document has it shown and told (SPEC 26.8). Pure. */

import type { GameDocument } from "@pierule/client";
import { pointName, pointsOf } from "./geometry";

/** How a point changed: how that is shown, and the entry of `changes` that says so; null: none does. */
export interface Change {
  motion: string;
  entry: number | null;
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
  const points = new Set(pointsOf(action, size, segments));
  after.forEach((cell, index) => {
    const old = before[index]!;
    if (old === cell) return;
    const entry = changes.findIndex(
      ({ of, to, named = null }) =>
        of.includes(old) && to.includes(cell) && (named === null || named === points.has(index)),
    );
    const plain = !old ? "appear" : cell ? "turn" : "vanish";
    found.set(index, { motion: changes[entry]?.motion ?? plain, entry: entry < 0 ? null : entry });
  });
  return found;
}

/** The points of the changes that an entry is about. */
export const pointsChanged = (changes: ReadonlyMap<number, Change>, entry: number, size: number): string[] =>
  [...changes].filter(([, change]) => change.entry === entry).map(([index]) => pointName(index, size));
