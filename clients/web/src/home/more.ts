/** A list of rooms that grows: what the lobby tells of, and then pages (SPEC 23.18). */

import { withListed, type Card, type LobbyRoom } from "@pierule/client";
import type { RefObject } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { choice } from "../lobby";
import { client } from "../server";
import { partOf } from "./finding";

/** Rooms of a step. */
const STEP = 50;
/** As many rooms of a status the lobby tells at most (SPEC 23.6). */
const FULL = 100;

export interface Growing {
  /** All that is known, and what of that is shown. */
  all: LobbyRoom[];
  rooms: LobbyRoom[];
  /** Show more; null if there is no more. */
  more: (() => Promise<void>) | null;
  /** The element with a child for each room. The first new one gets the focus. */
  list: RefObject<HTMLUListElement | null>;
}

/** The rooms that `pick` takes out of those of a status. Give the component another key for another
 * choice. */
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
      // On the pages there are also rooms that are not picked.
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

/** Give the focus to the first row that comes when more are `shown`: there were `before` rows. */
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
