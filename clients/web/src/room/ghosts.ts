/** What an action that is not played yet would put on the board, as far as it can be shown. Pure but
 * for reading the table. */

import { pointIndex, type PositionState } from "@pierule/client";
import { partAt } from "../board/draft";
import { pointsOf } from "../board/geometry";
import type { Table } from "./table";

const [EMPTY, BLACK, WHITE, SHOOTER] = [0, 1, 2, 3];

/** Cell values by point: of the draft, or of what is on its way and not in the room yet. */
export function ghostsOf(table: Table): ReadonlyMap<number, number> {
  const state = table.state.value!;
  const { position } = state;
  const sent = table.sent.value;
  if (sent && sent.kind !== "refused" && sent.turn >= state.turn)
    return ghostsOfAction(position, sent.action);
  const template = table.answers.value.get("")?.template ?? [];
  const { picked, places } = table.draft.value;
  const kinds = picked.map((_, at) => {
    const part = template.length ? partAt(places[at]!, template) : null;
    return part?.what === "shooter" ? SHOOTER : stoneOf(position);
  });
  return draftGhosts(position, picked, kinds);
}

/** The stone that whoever is to act puts now: in a set-up the first is black, the second white. */
function stoneOf({ phase, black, to_act }: PositionState): number {
  if (phase === "first") return BLACK;
  return black === to_act ? BLACK : WHITE;
}

function draftGhosts(
  position: PositionState,
  picked: readonly string[],
  kinds: number[],
): Map<number, number> {
  const { size, game, phase } = position;
  const points = picked.map((point) => pointIndex(point, size)!);
  const ghosts = new Map<number, number>();
  if (game === "taugo" && points.length === 2) {
    const [first, last] = [Math.min(...points), Math.max(...points)];
    const step = first % size === last % size ? size : 1;
    for (let at = first; at <= last; at += step) ghosts.set(at, stoneOf(position));
    return ghosts;
  }
  const moves = game === "veletas" && phase === "play" && position.cells[points[0]!] === SHOOTER;
  return moves ? moved(points, stoneOf(position)) : new Map(points.map((point, at) => [point, kinds[at]!]));
}

/** A shooter that leaves the first point for the second, and the stone that it shoots at the third. */
function moved([from, to, shot]: number[], stone: number): Map<number, number> {
  if (to === undefined) return new Map([[from!, SHOOTER]]);
  const ghosts = new Map([
    [from!, EMPTY],
    [to, SHOOTER],
  ]);
  return shot === undefined ? ghosts : ghosts.set(shot, stone);
}

/** The same of an action that was sent. */
export function ghostsOfAction(position: PositionState, action: string): ReadonlyMap<number, number> {
  const points = pointsOf(action, position.size);
  if (action.includes("-") && action.includes("/")) return moved(points, stoneOf(position));
  const stones = action.includes("/") ? 1 : points.length;
  return new Map(
    points.map((point, at) => [point, at < points.length - stones ? SHOOTER : stoneOf(position)]),
  );
}
