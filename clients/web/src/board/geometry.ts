/**
 * Where things are on a board, as the game's document describes it (SPEC 26.5, 26.6). The unit is the
 * distance between neighbors; x goes right, and y goes down. Pure.
 */

import { pointIndex, pointName, type BoardDescriptor, type BoardShape } from "@pierule/client";

export interface Spot {
  x: number;
  y: number;
}

export interface Layout {
  readonly size: number;
  readonly shape: BoardShape;
  /** Whether pieces stand in cells, how many shades the cells have, and the outline of one around its
   * middle. */
  readonly cells: boolean;
  readonly shades: number;
  readonly outline: string;
  /** The points of the board in reading order, the highest row first. */
  readonly rows: readonly (readonly number[])[];
  readonly frame: { x: number; y: number; width: number; height: number };
  /** The same without coordinates. */
  readonly bare: Layout["frame"];
  /** Coordinates, and how large they are. */
  readonly letters: readonly { text: string; at: Spot }[];
  readonly letter: number;
  /** The middle of a point. */
  readonly spot: (index: number) => Spot;
  /** The sides of a point that have no neighbor, each from corner to corner. */
  readonly outside: (index: number) => [Spot, Spot][];
}

/** How far the board reaches beyond its cells, on each side. */
const RIM = 0.16;
const ROW = { square: 1, hexagonal: Math.sqrt(3) / 2 };
const SLANT = { square: 0, hexagonal: 0.5 };
/** Half of the side of a cell, and its corners' distance from its middle straight up. */
const SIDE = { square: 0.5, hexagonal: 0.5 / Math.sqrt(3) };
const TOP = { square: 0.5, hexagonal: 1 / Math.sqrt(3) };
const STEPS = {
  square: [[1, 0], [0, 1], [-1, 0], [0, -1]],
  hexagonal: [[1, 0], [0, 1], [-1, 1], [-1, 0], [0, -1], [1, -1]],
} as const; // oxfmt-ignore

const layouts = new WeakMap<BoardDescriptor, Map<string, Layout>>();

/** The board of a size; `turned`: as somebody at its other side sees it. If the document does not have this
 * size, it is a plain box of points. */
export function layoutOf(board: BoardDescriptor, size: number, turned = false): Layout {
  const known = layouts.get(board) ?? new Map<string, Layout>();
  layouts.set(board, known);
  const layout = known.get(`${size} ${turned}`) ?? laidOut(board, size, turned);
  known.set(`${size} ${turned}`, layout);
  return layout;
}

function laidOut(board: BoardDescriptor, size: number, turned: boolean): Layout {
  const { grid } = board;
  const shape = board.boards.find((each) => each.size === size) ?? { size };
  const missing = new Set(shape.missing);
  const there = (column: number, row: number) =>
    column >= 0 && row >= 0 && column < size && row < size && !missing.has(nameOf(column, row));
  const at = placing(grid, turned ? -1 : 1);
  const spot = (index: number) => at(index % size, Math.floor(index / size));
  const rows = Array.from({ length: size }, (_, up) => size - 1 - up)
    .map((row) => range(size).filter((column) => there(column, row)).map((column) => row * size + column))
    .filter((row) => row.length > 0); // oxfmt-ignore
  if (turned) rows.reverse().forEach((row) => row.reverse());
  const outside = (index: number) => {
    const [column, row] = [index % size, Math.floor(index / size)];
    return STEPS[grid]
      .filter(([right, up]) => !there(column + right, row + up))
      .map(([right, up]) => sideOf(spot(index), at(right, up), SIDE[grid]));
  };
  const letter = Math.min(0.46, size * 0.032);
  const letters = coordinates(turned ? opposite(board) : board, rows.flat(), size, letter, at);
  const [cells, shades] = [board.surface === "cells", STEPS[grid].length / 2];
  const spots = rows.flat().map(spot);
  const frame = frameOf(spots, TOP[grid], letters.map(({ at }) => at), letter); // oxfmt-ignore
  const bare = frameOf(spots, TOP[grid], [], letter);
  return {
    size,
    shape,
    cells,
    shades,
    outline: outlineOf(grid),
    rows,
    frame,
    bare,
    letters,
    letter,
    spot,
    outside,
  };
}

/** Where columns and rows lead; `way` is -1 on a board that is turned around. */
const placing = (grid: BoardDescriptor["grid"], way: 1 | -1) => (column: number, row: number) => ({
  x: way * (column + SLANT[grid] * row),
  y: -way * ROW[grid] * row,
});

const nameOf = (column: number, row: number): string => `${String.fromCharCode(97 + column)}${row + 1}`;
const range = (length: number): number[] => Array.from({ length }, (_, at) => at);

/** The side of a cell that lies towards a neighbor. */
function sideOf(middle: Spot, towards: Spot, half: number): [Spot, Spot] {
  const to = (way: number) => ({
    x: middle.x + towards.x / 2 - way * half * towards.y,
    y: middle.y + towards.y / 2 + way * half * towards.x,
  });
  return [to(-1), to(1)];
}

/** Around the middle of a cell, or wherever a path has come to. */
function outlineOf(grid: BoardDescriptor["grid"]): string {
  if (grid === "square") return "m-.5 -.5h1v1h-1z";
  const [top, side] = [TOP.hexagonal, SIDE.hexagonal];
  const rise = top - side;
  return `m0 ${-top}l.5 ${rise}v${2 * side}l-.5 ${rise}l-.5 ${-rise}v${-2 * side}z`;
}

/** The same board, with its letters and numbers on the other sides: once it is turned, they are where they
 * were. */
const opposite = (board: BoardDescriptor): BoardDescriptor => ({
  ...board,
  columns: board.columns === "above" ? "below" : "above",
  rows: board.rows === "right" ? "left" : "right",
});

/** Where the letters of columns and the numbers of rows stand (SPEC 26.6). */
function coordinates(
  { grid, columns = "below", rows = "left" }: BoardDescriptor,
  points: readonly number[],
  size: number,
  letter: number,
  at: (column: number, row: number) => Spot,
): Layout["letters"] {
  const apart = grid === "square" ? 0.5 + 0.47 * (RIM + letter) : 1;
  /** The place beyond one end of these points. */
  const beyond = (along: number[], far: boolean) =>
    (far ? Math.max(...along) : Math.min(...along)) + (far ? apart : -apart);
  const ends = (along: number[]) => (grid === "square" ? [0, size - 1] : along);
  return range(size).flatMap((line) => {
    const inColumn = points.filter((index) => index % size === line).map((index) => Math.floor(index / size));
    const inRow = points.filter((index) => Math.floor(index / size) === line).map((index) => index % size);
    const found = [];
    if (inColumn.length)
      found.push({
        text: String.fromCharCode(97 + line),
        at: at(line, beyond(ends(inColumn), columns === "above")),
      });
    if (inRow.length)
      found.push({ text: String(line + 1), at: at(beyond(ends(inRow), rows === "right"), line) });
    return found;
  });
}

/** The frame of the picture: cells and coordinates with a rim, never higher than wide. */
function frameOf(spots: Spot[], top: number, letters: Spot[], letter: number): Layout["frame"] {
  const far = 0.53 * (RIM + letter);
  const xs = [...spots.flatMap(({ x }) => [x - 0.5 - RIM, x + 0.5 + RIM]),
              ...letters.flatMap(({ x }) => [x - far, x + far])]; // oxfmt-ignore
  const ys = [...spots.flatMap(({ y }) => [y - top - RIM, y + top + RIM]),
              ...letters.flatMap(({ y }) => [y - far, y + far])]; // oxfmt-ignore
  const [left, upper] = [Math.min(...xs), Math.min(...ys)];
  const [width, height] = [Math.max(...xs) - left, Math.max(...ys) - upper];
  const wider = Math.max(0, height - width);
  return { x: left - wider / 2, y: upper, width: width + wider, height };
}

/** The middles of points, by their names. */
export const spotsOf = ({ size, spot }: Layout, names: readonly string[]): Spot[] =>
  names.map((name) => pointIndex(name, size)).filter((index) => index !== null).map(spot); // oxfmt-ignore

/** The points that an action names, in its order. In a game with segments, a segment means all its points. */
export function pointsOf(action: string, size: number, segments: boolean): number[] {
  const named = (action.match(/[a-z]\d+/g) ?? []).map((name) => pointIndex(name, size));
  const points = named.filter((index) => index !== null);
  if (!segments || !/^[a-z]\d+-[a-z]\d+$/.test(action) || points.length < 2) return points;
  const [first, last] = points as [number, number];
  const [right, up] = [(last % size) - (first % size), Math.floor(last / size) - Math.floor(first / size)];
  const steps = divisor(Math.abs(right), Math.abs(up));
  return range(steps + 1).map((step) => first + (step * (last - first)) / (steps || 1));
}

const divisor = (one: number, other: number): number => (other ? divisor(other, one % other) : one);

/** The point to which a key leads from another one; at the border it is the same point. null: this key
 * does not move. With Control, Home and End lead to the first and the last point. */
export function neighborOf({ rows, size, spot }: Layout, index: number, key: string, control = false) {
  if (control && !["Home", "End"].includes(key)) return null;
  const line = rows.findIndex((row) => row.includes(index));
  const row = rows[line]!;
  const column = rows.flat().filter((other) => other % size === index % size);
  const along = (by: number) => row[row.indexOf(index) + by] ?? index;
  const across = (by: number) => {
    const to = rows[line + by] ?? [index];
    const { x } = spot(index);
    const near = [...to].sort((a, b) => Math.abs(spot(a).x - x) - Math.abs(spot(b).x - x))[0]!;
    return to.find((other) => other % size === index % size) ?? near;
  };
  switch (key) {
    case "ArrowLeft":
      return along(-1);
    case "ArrowRight":
      return along(1);
    case "ArrowUp":
      return across(-1);
    case "ArrowDown":
      return across(1);
    case "Home":
      return (control ? rows[0]! : row)[0]!;
    case "End":
      return (control ? rows.at(-1)! : row).at(-1)!;
    case "PageUp":
      return column[0]!;
    case "PageDown":
      return column.at(-1)!;
    default:
      return null;
  }
}

export { pointIndex, pointName };
