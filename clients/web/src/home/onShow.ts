/** Which running games the first screen shows. Pure. */

import type { LobbyRoom } from "@pierule/client";
import { hasBot } from "./finding";

/** How many boards there are. Each follows a room, of the 64 that a connection may follow (SPEC 1.11). */
export const PLACES = 3;

/** The rooms on show, each in its place. A room stays while its game runs. When the game has `ended`,
 * another running one takes its place; if there is none, it stays, unless there is nothing to see of it
 * (false). A room in which nothing has happened `since` a time goes. Your own games are never shown:
 * whoever follows a game counts as being there. */
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

/** Games of people before those of bots, then by spectators, then by the time of the last action. */
const byInterest = (one: LobbyRoom, other: LobbyRoom): number =>
  Number(hasBot(one)) - Number(hasBot(other)) ||
  other.spectators - one.spectators ||
  other.card.at - one.card.at;
