/** A position's text and digest (SPEC 5), and the names of its points (SPEC 8.1). */

import { crc32 } from "./crc32.js";
import type { PositionState } from "./messages.js";

const CELLS = ".bwsBWacdefghijklmnopqrtuvxyzACDEFGHIJKLMNOPQRSTUVXYZ0123456789";

/** The position on one line (SPEC 5.3); null if it has a cell that no board has. */
export function positionText(position: PositionState): string | null {
  const { game, size, phase, to_act, black, komi, passes, score, winner, cells } = position;
  if (cells.length !== size * size) return null;
  let board = "";
  for (const cell of cells) {
    const letter = CELLS[cell];
    if (letter === undefined) return null;
    board += letter;
  }
  const rows = Array.from({ length: size }, (_, row) => board.slice(row * size, (row + 1) * size));
  const fields = [game, size, phase, to_act, black, komi, passes, score.join("-"), winner];
  return [...fields.map((field) => field ?? "-"), rows.reverse().join("/")].join(" ");
}

/** The digest of a position (SPEC 5.4); null if it has a cell that no board has. */
export function positionDigest(position: PositionState): number | null {
  const text = positionText(position);
  return text === null ? null : crc32(text);
}

/** The name of the point at an index of `cells`, such as `c12`. */
export function pointName(index: number, size: number): string {
  return String.fromCharCode(97 + (index % size)) + (Math.floor(index / size) + 1);
}

/** The index of a point in `cells`; null if the board has no such point. */
export function pointIndex(name: string, size: number): number | null {
  const match = /^([a-z])([1-9]\d?)$/.exec(name);
  if (!match) return null;
  const [column, row] = [match[1]!.charCodeAt(0) - 97, Number(match[2]) - 1];
  return column < size && row < size ? row * size + column : null;
}
