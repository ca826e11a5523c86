/** A list of rooms that grows: first those of the lobby, then pages of others (SPEC 23.18). */

import { withListed, type Card, type LobbyRoom } from "@pierule/client";
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { choice } from "../lobby";
import { client } from "../server";
import { partOf } from "./finding";

/** How many rooms to add at a time. */
const STEP = 50;
/** The most rooms of a status in the lobby (SPEC 23.6). */
const FULL = 100;

export interface Growing {
  /** All rooms that are known, and those that are shown. */
  all: LobbyRoom[];
  rooms: LobbyRoom[];
  /** Show more; null if there is no more. */
  more: (() => Promise<void>) | null;
  /** The element with a child for each room. When more come, the first of them gets the focus. */
  list: RefObject<HTMLUListElement | null>;
}

/** The rooms of a status that `pick` chooses. Give the component another key when the choice changes. */
export function useMore(
  status: "open" | "running",
  told: readonly LobbyRoom[],
  pick: (rooms: LobbyRoom[]) => LobbyRoom[],
): Growing {
  const [shown, setShown] = useState(STEP);
  const [pages, setPages] = useState<{ cards: Card[]; ended: boolean }>({ cards: [], ended: false });
  const busy = useRef(false);
  const { list, before } = useFirstNew(shown);
  const all = withListed(told, pages.cards);
  const picked = pick(all);
  const live = told.filter(({ card }) => card.status === status).length;
  const isMore = picked.length > shown || (!pages.ended && live >= FULL);
  const more = async () => {
    if (busy.current) return;
    busy.current = true;
    const wanted = shown + STEP;
    let { cards, ended } = pages;
    try {
      // The pages also have rooms that are not picked.
      for (let limit = wanted; !ended && pick(withListed(told, cards)).length < wanted; limit += FULL) {
        cards = await client.listRooms(limit, { ...partOf(choice.value), status });
        ended = cards.length < limit;
      }
      before.current = list.current?.children.length ?? 0;
      setPages({ cards, ended });
      setShown(wanted);
    } catch {
      // the client has stopped, as its status tells
    } finally {
      busy.current = false;
    }
  };
  return { all, rooms: picked.slice(0, shown), more: isMore ? more : null, list };
}

/** When more rooms are `shown`, give the focus to the first new row, after the `before` rows that were
 * there. */
function useFirstNew(shown: number) {
  const list = useRef<HTMLUListElement>(null);
  const before = useRef(0);
  useEffect(() => {
    if (shown === STEP) return;
    const row = list.current?.children[before.current] ?? list.current?.lastElementChild;
    row?.querySelector<HTMLElement>("a, button")?.focus({ preventScroll: true });
  }, [shown]);
  return { list, before };
}
