/** The lobby as a client watches it: a snapshot, and changes (SPEC 23.6, 23.7). */

import type { Card, FreeBots, LobbyChange, LobbyRoom, LobbyState, Pool, WatchLobby } from "./messages.js";
import type { Session } from "./session.js";

/** The rooms that are open or running: the latest first, and rooms in which nobody waits last; the pools in
 * which somebody waits; how many house bots are free to stand in; and the levels of house bots. */
export interface LobbyView {
  seq: number;
  rooms: readonly LobbyRoom[];
  pools: readonly Pool[];
  bots: number;
  levels: readonly FreeBots[];
}

/** The lobby after a message; null if changes before it are missing. Pure. */
export function foldLobby(view: LobbyView | null, message: LobbyState | LobbyChange): LobbyView | null {
  const { type, seq, rooms = [], pools = [] } = message;
  if (type === "lobby") return arranged(seq, rooms, pools, message.bots ?? 0, message.bot_levels ?? []);
  if (view === null || seq !== view.seq + 1) return null;
  const other = new Set([...rooms.map(({ card }) => card.room), ...(message.gone ?? [])]);
  const changed = new Set(pools.map(poolKey));
  return arranged(
    seq,
    [...rooms, ...view.rooms.filter(({ card }) => !other.has(card.room))],
    [...view.pools.filter((pool) => !changed.has(poolKey(pool))), ...pools],
    message.bots ?? view.bots,
    message.bot_levels ?? view.levels,
  );
}

function arranged(
  seq: number,
  rooms: LobbyRoom[],
  pools: Pool[],
  bots: number,
  levels: readonly FreeBots[],
): LobbyView {
  return { seq, rooms: inOrder(rooms), pools: pools.filter(({ waiting }) => waiting > 0), bots, levels };
}

const inOrder = (rooms: readonly LobbyRoom[]): LobbyRoom[] =>
  [...rooms].sort(
    (one, another) => Number(!!one.card.away) - Number(!!another.card.away) || another.card.at - one.card.at,
  );

/** The rooms of the lobby, and other rooms that `listRooms` has found, in the lobby's order. Pure. */
export function withListed(rooms: readonly LobbyRoom[], cards: readonly Card[]): LobbyRoom[] {
  const known = new Set(rooms.map(({ card }) => card.room));
  const others = cards.filter(({ room }) => !known.has(room));
  return inOrder([...rooms, ...others.map((card) => ({ card, spectators: 0 }))]);
}

const poolKey = ({ game, size, control }: Pool): string =>
  JSON.stringify([game, size, Object.entries(control ?? {}).sort()]);

/** The part of the lobby to watch (SPEC 23.19): the rooms that match it, and the pools of its game. */
export type LobbyPart = Pick<WatchLobby, "game" | "status" | "free_seat">;

export interface LobbyWatch {
  /** Watch another part instead. */
  want(part: LobbyPart): void;
  stop(): void;
}

/** What `Client.watchLobby` does. */
export function watchLobby(session: Session, show: (view: LobbyView) => void, part: LobbyPart): LobbyWatch {
  let view: LobbyView | null = null;
  let asked: Promise<unknown> | null = null;
  let again = false;
  // One request at a time: if the server handled the older of two last, its part would stay.
  const ask = () => {
    view = null;
    again = asked !== null;
    if (again) return;
    const sent = session.welcome?.features.includes("filters") ? part : {};
    const answered = () => {
      asked = null;
      if (again) ask();
    };
    asked = session.request({ type: "lobby", ...sent }).then(answered, answered); // the status shows a stop
  };
  const deaf = session.hear((message) => {
    if (message.type !== "lobby" && message.type !== "lobby_change") return;
    if (message.type === "lobby_change" && !view) return; // a snapshot is under way
    view = foldLobby(view, message);
    if (view) show(view);
    else ask();
  });
  const unwelcomed = session.welcomed(ask);
  return {
    want(other) {
      part = other;
      if (session.welcome) ask(); // otherwise the first connection asks for it
    },
    stop() {
      deaf();
      unwelcomed();
      again = false;
      if (session.status.kind === "online")
        void session.request({ type: "lobby", watch: false }).catch(() => {});
    },
  };
}
