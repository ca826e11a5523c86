/** Which running games the first screen shows. Pure. */

import type { LobbyRoom } from "@pierule/client";
import { hasBot } from "./finding";

/** So many boards there are: each follows a room, of the 64 that a connection may follow (SPEC 1.11). */
export const PLACES = 3;

/** The rooms on show, each in its place. One stays for as long as its game runs, and what has ended gives way
 * to another that runs; it stays for as long as there is none, unless there is nothing to see of it (`ended`
 * says false). One in which nothing has happened `since` then does not move, and goes. Games of your own are
 * not shown: to follow such a game is to be there. */
export function onShow(
  shown: readonly string[],
  ended: ReadonlyMap<string, boolean>,
  rooms: readonly LobbyRoom[],
  own: ReadonlySet<string>,
  since = 0,
): string[] {
  const idle = new Set(rooms.filter(({ card }) => card.at < since).map(({ card }) => card.room));
  const others = rooms
    .filter(({ card }) => !idle.has(card.room))
    .filter(({ card }) => card.status === "running" && !own.has(card.room))
    .filter(({ card }) => !shown.includes(card.room) && !ended.has(card.room))
    .sort(byInterest)
    .map(({ card }) => card.room);
  const kept = shown.filter((room) => !own.has(room) && !idle.has(room) && ended.get(room) !== false);
  const placed = kept.map((room) => (ended.has(room) ? (others.shift() ?? room) : room));
  return [...placed, ...others].slice(0, PLACES);
}

/** People before bots, then what others watch, then what was played in last. */
const byInterest = (one: LobbyRoom, other: LobbyRoom): number =>
  Number(hasBot(one)) - Number(hasBot(other)) ||
  other.spectators - one.spectators ||
  other.card.at - one.card.at;
