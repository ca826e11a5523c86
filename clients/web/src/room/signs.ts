/** What waits for you in a room. Each has a sign, which you see while the thing itself is out of sight. Pure. */

import type { RoomState, Seat, What } from "@pierule/client";
import type { OfferUpdate } from "./offers";
import { SEATS, otherOf } from "./seats";

interface Placed {
  key: string;
  /** Where the thing itself is, as a selector, and the share of it that counts as in sight. */
  at: string;
  share: number;
  /** Whether the thing waits for you. The sign of anything else goes after a while, and once you have seen it. */
  lasts: boolean;
}

export type Sign = Placed &
  (
    | { kind: "turn" | "absence" }
    | { kind: "offer"; what: What; by: Seat }
    | { kind: "news"; news: OfferUpdate }
    | { kind: "chat"; unread: number }
  );

/** What the signs depend on. */
export interface Waiting {
  state: Pick<RoomState, "epoch" | "turn" | "seq" | "offers">;
  seats: readonly Seat[];
  /** The seat for which you may act now. */
  acting: Seat | null;
  /** What has just become of offers. */
  news: readonly OfferUpdate[];
  unread: number;
}

/** Where something is from top to bottom, in px in the window. */
export type Span = Pick<DOMRectReadOnly, "top" | "bottom">;

/** Where a sign leads, and so at which edge it stands: `over` leads down from the upper edge. */
export type Way = "up" | "down" | "over";

export const isAbove = (way: Way): boolean => way !== "down";

/** The way to something out of sight. A sign at the lower edge could cover the field that you write in, so while you
 * see that, all signs stand at the upper edge. */
export function wayTo({ top, bottom }: Span, field: Span | null, height: number): Way {
  if (top + bottom < height) return "up";
  return field && field.top < height && field.bottom > 0 ? "over" : "down";
}

/** That of the choice whether to wait for an opponent who is gone. */
export const ABSENT: Sign = { kind: "absence", key: "absence", at: ".absence", share: 0.9, lasts: true };

/** All other signs, the most urgent one last. */
export function signsOf({ state, seats, acting, news, unread }: Waiting): Sign[] {
  const place = `${state.epoch}.${state.turn}`;
  const signs: Sign[] = [];
  if (unread) signs.push({ kind: "chat", key: "chat", at: ".chat .title", share: 0.5, lasts: true, unread });
  if (acting !== null)
    signs.push({ kind: "turn", key: `turn ${place}`, at: ".board-box", share: 0.2, lasts: true });
  return seats.length === 1 ? [...signs, ...offerSigns(state, seats[0]!, news, place)] : signs;
}

function offerSigns(
  { offers, epoch, seq }: Waiting["state"],
  seat: Seat,
  news: readonly OfferUpdate[],
  place: string,
): Sign[] {
  const there = { at: ".offers", share: 0.9 };
  const ended = news.filter(({ how }) => how !== "offered");
  const standing = SEATS.filter((by) => offers?.[by]).sort((by) => (by === seat ? -1 : 1));
  return [
    ...ended.map(
      (each) =>
        ({ kind: "news", key: `${epoch}.${seq} ${each.by}`, lasts: false, news: each, ...there }) as const,
    ),
    ...standing.map((by) => {
      const what = offers![by]!;
      return {
        kind: "offer",
        key: `${place} ${by} ${what}`,
        lasts: by === otherOf(seat),
        what,
        by,
        ...there,
      } as const;
    }),
  ];
}
