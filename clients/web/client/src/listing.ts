/** Lists of rooms, put together from pages (SPEC 23.18). */

import type { Card, RoomsQuery } from "./messages.js";
import type { Session } from "./session.js";

/** The rooms to list: those that agree with every field that is neither null nor left out. */
export type RoomFilter = Pick<RoomsQuery, "game" | "size" | "status" | "free_seat">;

/** The rooms of a page. */
const PAGE = 100;

/** What `Client.listRooms` does. A server without the feature `filters` has one page, which is filtered here.
 * Rejects with Refused (`bad_field` for an unknown game or size) or Stopped. */
export async function listRooms(session: Session, limit: number | null, filter: RoomFilter): Promise<Card[]> {
  const { features } = await session.online();
  const most = limit ?? Infinity;
  if (!features.includes("filters")) {
    const { rooms } = await session.request({ type: "rooms", limit: PAGE });
    return (rooms ?? []).filter((card) => agreesWith(filter, card)).slice(0, most);
  }
  const { game, size, status, free_seat } = filter;
  const cards: Card[] = [];
  let after: string | null = null;
  do {
    const left = Math.min(PAGE, most - cards.length);
    const page = await session.request({ type: "rooms", limit: left, game, size, status, free_seat, after });
    cards.push(...(page.rooms ?? []));
    after = page.next ?? null;
  } while (after !== null && cards.length < most);
  return cards;
}

/** Whether a room agrees with a filter. Pure. */
export function agreesWith(filter: RoomFilter, { game, size, status, names }: Card): boolean {
  const { free_seat: seat } = filter;
  return (
    (filter.game ?? game) === game &&
    (filter.size ?? size) === size &&
    (filter.status ?? status) === status &&
    (seat == null || (seat === "any" ? names.includes(null) : names[seat] === null))
  );
}
