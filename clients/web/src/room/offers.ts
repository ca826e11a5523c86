/** What players agree on besides playing (SPEC 19), as a room's state tells it. Pure. */

import type { RoomState, Seat, What } from "@pierule/client";
import { SEATS, otherOf } from "./seats";

/** What has become of an offer by the seat `by`. */
export interface OfferUpdate {
  how: "offered" | "declined" | "withdrawn" | "lapsed" | "agreed";
  what: What;
  by: Seat;
}

/** The offers by the kind of event that carries them out. */
const AGREED: Record<string, What> = {
  taken_back: "takeback",
  drawn: "draw",
  paused: "pause",
  resumed: "resume",
  rematching: "rematch",
};

export const isPaused = (state: RoomState): boolean => state.clock?.paused != null;

/** Whether a user with these seats sees a game later than it is played (SPEC 20.5). */
export const isBehind = ({ delay, status }: RoomState, seats: readonly Seat[]): boolean =>
  !!delay && !seats.length && status === "running";

/** What a seat may offer, as far as the state tells. The server knows more, and may refuse. */
export function offerable(state: RoomState, seat: Seat, draws: boolean): What[] {
  if (state.offers?.[seat] || state.seats.includes(null)) return [];
  const theirs = state.offers?.[otherOf(seat)];
  return possible(state, seat, draws).filter((what) => what !== theirs || what === "takeback");
}

function possible(state: RoomState, seat: Seat, draws: boolean): What[] {
  if (state.status === "over") return state.rematch ? [] : ["rematch"];
  if (isPaused(state)) return ["resume"];
  const found: What[] = [];
  if (state.ply > seat) found.push("takeback"); // seat 0 cuts at ply 0, seat 1 chooses at ply 1
  if (draws) found.push("draw");
  if (state.clock && state.control?.kind !== "correspondence") found.push("pause");
  return found;
}

/** What was offered since the latest action or takeback: each seat may offer each of it once (SPEC 19.1). */
export interface Made {
  turn: number;
  offers: readonly string[];
}

export const NONE_MADE: Made = { turn: -1, offers: [] };

/** What has been offered, as far as the page knows: what stands, and what it heard about others. */
export function madeAfter(made: Made, { turn, offers }: RoomState, news: readonly OfferUpdate[]): Made {
  const before = made.turn === turn ? made.offers : [];
  const standing = SEATS.flatMap((by) => (offers?.[by] ? [`${by} ${offers[by]}`] : []));
  const told = made.turn === turn ? news.map(({ by, what }) => `${by} ${what}`) : [];
  return { turn, offers: [...new Set([...before, ...standing, ...told])] };
}

/** Which of these a seat has offered since the latest action: it cannot offer them again yet. */
export const spentOf = (made: Made, seat: Seat, offers: readonly What[]): What[] =>
  offers.filter((what) => made.offers.includes(`${seat} ${what}`));

/** How many actions a takeback for a seat takes back (SPEC 19.4): its last one, and all after it. Seat 0
 * cuts, seat 1 chooses the color, and then the seats take turns. */
export function takenBack({ ply, position }: Pick<RoomState, "ply" | "position">, by: Seat): number {
  let back = 1;
  const toAct = (at: number) =>
    at < 2 ? at : (ply - at) % 2 && position.to_act !== null ? otherOf(position.to_act) : position.to_act;
  while (back < ply && toAct(ply - back) !== by) back++;
  return back;
}

/** Whether a seat may still call the game off: it has not acted yet. */
export const mayAbort = (state: RoomState, seat: Seat): boolean =>
  state.status !== "over" && state.turn <= seat;

/** What has become of offers between two states. `kind` is that of the event between them; null: not
 * known. */
export function newsOf(before: RoomState, after: RoomState, kind: string | null): OfferUpdate[] {
  return SEATS.flatMap((by) => {
    const [was, is] = [before.offers?.[by], after.offers?.[by]];
    if (is && is !== was) return [{ how: "offered", what: is, by } as const];
    return was && !is ? [{ how: endOf(was, kind), what: was, by }] : [];
  });
}

function endOf(what: What, kind: string | null): OfferUpdate["how"] {
  if (kind === "declined" || kind === "withdrawn") return kind;
  return kind !== null && AGREED[kind] === what ? "agreed" : "lapsed";
}
