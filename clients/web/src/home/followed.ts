/** The running games on the first screen. The page follows each as a spectator while it is in sight. */

import type { RoomState } from "@pierule/client";
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { visit } from "../server";
import { moving } from "../settings";
import { visible } from "../visibility";

/** The rooms that the first screen follows: in each of them, you are one of the spectators. */
export const followed = signal<ReadonlySet<string>>(new Set());

const mark = (room: string, follows: boolean): void => {
  const others = [...followed.peek()].filter((other) => other !== room);
  followed.value = new Set(follows ? [...others, room] : others);
};

/** What was seen of a room: its state, and the cells before its last event. */
export interface Seen {
  state: RoomState;
  before: readonly number[] | null;
}

/** Follow a room while the page is in front and its boards move. `end` is called when the game is over, or
 * when you cannot watch it; it says whether the last board may stay in sight. */
export function useFollowed(id: string, end: (stays: boolean) => void): Seen | null {
  const [seen, setSeen] = useState<Seen | null>(null);
  const isSeen = useRef(false);
  const follows = visible.value && moving.value === "yes";
  useEffect(() => {
    if (!follows) return;
    const [room, leave] = visit(id, null);
    mark(id, true);
    const stop = room.listen((news) => {
      if (news.kind === "state") {
        const { state, event } = news;
        isSeen.current = true;
        setSeen((last) => ({ state, before: event && last ? last.state.position.cells : null }));
        if (state.status === "over") end(true);
      } else if (news.kind === "ended") end(isSeen.current);
      else if (news.kind === "seats" && news.seats.length) {
        end(false);
        leave(); // it is a game of your own, and you are not there when you see it here
      }
    });
    return () => {
      stop();
      leave();
      mark(id, false);
    };
  }, [id, follows]);
  return seen;
}
