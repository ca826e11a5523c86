/** Which open room somebody is led to who wants to play now. Pure. */

import type { Card } from "@pierule/client";
import { isBot } from "../bots";

/** How many rooms a listing is asked for. */
export const LISTED = 50;

/** Whether a bot waits in a room. */
export const isBots = (card: Card): boolean => card.names.some(isBot);

/** Rooms in which people wait before those of bots. */
export const byPeople = (cards: readonly Card[]): Card[] =>
  [...cards].sort((one, other) => Number(isBots(one)) - Number(isBots(other)));

/** The room to join: the newest open one of this game and size, people's before bots'. null: there
 * is none. `own` are rooms in which one sits already. */
export function roomToJoin(
  cards: readonly Card[],
  game: string,
  size: number,
  own: ReadonlySet<string>,
): string | null {
  const fit = cards.filter(
    (card) => card.status === "open" && card.game === game && card.size === size && !own.has(card.room),
  );
  const newest = fit.sort((one, other) => other.at - one.at);
  return byPeople(newest)[0]?.room ?? null;
}
