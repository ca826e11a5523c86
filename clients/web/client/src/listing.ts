/** Lists of rooms, put together from pages (SPEC 23.18). */

import type { Card, RoomsQuery } from "./messages.js";
import type { Session } from "./session.js";

/** Which rooms are wanted: those that agree with every field that is neither null nor left out. */
export type RoomFilter = Pick<RoomsQuery, "game" | "size" | "status" | "free_seat">;

/** Rooms of a page. */
const PAGE = 100;

/** The rooms that `Client.listRooms` promises. A server without the feature `filters` has one page, which
 * is looked through here. Rejects with Refused (`bad_field` for a game or a size that there is not) or
 * Stopped. */
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

/** Whether a room is one of those that are wanted. Pure. */
export function agreesWith(filter: RoomFilter, { game, size, status, names }: Card): boolean {
  const { free_seat: seat } = filter;
  return (
    (filter.game ?? game) === game &&
    (filter.size ?? size) === size &&
    (filter.status ?? status) === status &&
    (seat == null || (seat === "any" ? names.includes(null) : names[seat] === null))
  );
}
