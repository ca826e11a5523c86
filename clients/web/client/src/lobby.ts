/** The lobby as it is watched: a snapshot, and changes (SPEC 23.6, 23.7). */

import type { Client } from "./client.js";
import type { LobbyChange, LobbyRoom, LobbyState, Pool, WatchLobby } from "./messages.js";

/** The rooms that are open or running, the latest first but those in which nobody waits last, where somebody waits, and how many house
 * bots are free to stand in. */
export interface LobbyView {
  seq: number;
  rooms: readonly LobbyRoom[];
  pools: readonly Pool[];
  bots: number;
}

/** The lobby after a message; null if changes before it are missing. Pure. */
export function foldLobby(view: LobbyView | null, message: LobbyState | LobbyChange): LobbyView | null {
  const { type, seq, rooms = [], pools = [] } = message;
  if (type === "lobby") return arranged(seq, rooms, pools, message.bots ?? 0);
  if (view === null || seq !== view.seq + 1) return null;
  const other = new Set([...rooms.map(({ card }) => card.room), ...(message.gone ?? [])]);
  const changed = new Set(pools.map(poolKey));
  return arranged(
    seq,
    [...rooms, ...view.rooms.filter(({ card }) => !other.has(card.room))],
    [...view.pools.filter((pool) => !changed.has(poolKey(pool))), ...pools],
    message.bots ?? view.bots,
  );
}

function arranged(seq: number, rooms: LobbyRoom[], pools: Pool[], bots: number): LobbyView {
  const latest = [...rooms].sort(
    (one, another) => Number(!!one.card.away) - Number(!!another.card.away) || another.card.at - one.card.at,
  );
  return { seq, rooms: latest, pools: pools.filter(({ waiting }) => waiting > 0), bots };
}

const poolKey = ({ game, size, control }: Pool): string =>
  JSON.stringify([game, size, Object.entries(control ?? {}).sort()]);

/** Watch the lobby, or the `wanted` part of it (SPEC 23.19), over as many connections as it takes,
 * until the returned function is called. A client has one lobby: only one at a time may watch it. A
 * server without the feature `filters` shows all of it. */
export function watchLobby(
  client: Client,
  show: (view: LobbyView) => void,
  wanted: Pick<WatchLobby, "game" | "status" | "free_seat"> = {},
): () => void {
  let view: LobbyView | null = null;
  const ask = () => {
    view = null;
    const part = client.welcome?.features.includes("filters") ? wanted : {};
    void client.request({ type: "lobby", ...part }).catch(() => {}); // its status tells that it has stopped
  };
  const deaf = client.hear((message) => {
    if (message.type !== "lobby" && message.type !== "lobby_change") return;
    if (message.type === "lobby_change" && !view) return; // a snapshot is under way
    view = foldLobby(view, message);
    if (view) show(view);
    else ask();
  });
  const stop = client.welcomed(ask);
  return () => {
    deaf();
    stop();
    if (client.status.kind === "online") void client.request({ type: "lobby", watch: false }).catch(() => {});
  };
}
