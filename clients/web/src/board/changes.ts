/** What an action has changed on a board, as far as eyes want to know. Pure. */

import type { PositionState } from "@pierule/client";
import { pointsOf } from "./geometry";

/** Placed: a stone is new. Flipped: it changed color by itself. Cut: it was replaced. Claimed: a
 * shooter was. Moved: a shooter has come here. Left: something stood here. */
export type Change = "placed" | "flipped" | "cut" | "claimed" | "moved" | "left";

const EMPTY = 0;
const SHOOTER = 3;
const isStone = (cell: number) => cell === 1 || cell === 2;

/** The changes by point, of the action that led from one position to the other. */
export function changesOf(
  before: PositionState | null,
  after: PositionState,
  action: string | null,
): ReadonlyMap<number, Change> {
  const changes = new Map<number, Change>();
  if (!before || before.size !== after.size || action === null) return changes;
  const named = new Set(pointsOf(action, after.size));
  after.cells.forEach((cell, index) => {
    const old = before.cells[index]!;
    const change = old === cell ? null : changeOf(old, cell, named.has(index));
    if (change) changes.set(index, change);
  });
  return changes;
}

function changeOf(old: number, cell: number, named: boolean): Change {
  if (cell === EMPTY) return "left";
  if (cell > SHOOTER) return "claimed";
  if (cell === SHOOTER) return "moved";
  if (isStone(old)) return named ? "cut" : "flipped";
  return "placed";
}
