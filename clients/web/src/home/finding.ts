/** What of the lobby is shown to whom. Pure. */

import type { LobbyRoom, Pool } from "@pierule/client";

/** Whether a bot waits in a room, or plays there. */
export const hasBot = ({ card }: LobbyRoom): boolean => !!card.bots?.some(Boolean);

/** An open room of a bot for a game: of this size if there is one, else of another; null: none. */
export function botsRoom(rooms: readonly LobbyRoom[], game: string, size: number): LobbyRoom | null {
  const open = rooms.filter((room) => hasBot(room) && room.card.status === "open" && room.card.game === game);
  return open.find(({ card }) => card.size === size) ?? open[0] ?? null;
}

/** The pools in which others wait; `own` is the key of what one seeks oneself. */
export const poolsOfOthers = (
  pools: readonly Pool[],
  own: string | null,
  keyOf: (pool: Pool) => string,
): Pool[] =>
  pools.flatMap((pool) => {
    const others = pool.waiting - Number(keyOf(pool) === own);
    return others > 0 ? [{ ...pool, waiting: others }] : [];
  });
