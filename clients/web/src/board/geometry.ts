/**
 * Where things are on a board, in units of one cell, x to the right and y down; and what there is to
 * be drawn under the stones. Pure. How a board looks is all that is known of a game here.
 */

import { pointIndex, pointName } from "@pierule/client";

export interface Spot {
  x: number;
  y: number;
}

/** The middle of a point. */
export function spotOf(index: number, size: number): Spot {
  return { x: (index % size) + 0.5, y: size - Math.floor(index / size) - 0.5 };
}

/** Whether stones stand in squares, and not on points where lines cross. */
export const hasSquares = (game: string): boolean => game === "veletas";

/** Whether there is such a point on the board of a game: Taugo has no corners. */
export function exists(game: string, size: number, index: number): boolean {
  const [column, row] = [index % size, Math.floor(index / size)];
  const ends = (at: number) => at === 0 || at === size - 1;
  return game !== "taugo" || !(ends(column) && ends(row));
}

/** A line between two points. */
export type Line = [Spot, Spot];

/** The lines that stones stand on; those of Taugo end at the edge points, and none runs along them. */
export function linesOf(game: string, size: number): Line[] {
  if (hasSquares(game)) return [];
  const inner = game === "taugo" ? 1 : 0;
  const lines: Line[] = [];
  for (let at = inner; at < size - inner; at++) {
    lines.push([
      { x: 0.5, y: at + 0.5 },
      { x: size - 0.5, y: at + 0.5 },
    ]);
    lines.push([
      { x: at + 0.5, y: 0.5 },
      { x: at + 0.5, y: size - 0.5 },
    ]);
  }
  return lines;
}

/** All points of the board, the highest row first, as they are read. */
export function rowsOf(size: number): number[][] {
  return Array.from({ length: size }, (_, row) =>
    Array.from({ length: size }, (_, column) => (size - 1 - row) * size + column),
  );
}

/** The points that an action names, in its order; a segment is all its points. */
export function pointsOf(action: string, size: number): number[] {
  const named = (action.match(/[a-z]\d+/g) ?? []).map((name) => pointIndex(name, size));
  const points = named.filter((index) => index !== null);
  if (!/^[a-z]\d+-[a-z]\d+$/.test(action) || points.length < 2) return points;
  const [first, last] = points as [number, number];
  const step = first % size === last % size ? size : 1;
  const between = [];
  for (let at = first; at <= last; at += step) between.push(at);
  return between;
}

/** Where a key leads from a point; the same point at the border, null if the key leads nowhere. With
 * Control, Home and End lead to the corners where reading begins and ends. */
export function neighborOf(index: number, size: number, key: string, control = false): number | null {
  const [column, row] = [index % size, Math.floor(index / size)];
  const last = size - 1;
  const to = (c: number, r: number) => Math.min(last, Math.max(0, r)) * size + Math.min(last, Math.max(0, c));
  if (control && !["Home", "End"].includes(key)) return null;
  switch (key) {
    case "ArrowLeft":
      return to(column - 1, row);
    case "ArrowRight":
      return to(column + 1, row);
    case "ArrowUp":
      return to(column, row + 1);
    case "ArrowDown":
      return to(column, row - 1);
    case "Home":
      return to(0, control ? last : row);
    case "End":
      return to(last, control ? 0 : row);
    case "PageUp":
      return to(column, last);
    case "PageDown":
      return to(column, 0);
    default:
      return null;
  }
}

export { pointIndex, pointName };
