/** What of the lobby is shown to whom. Pure. */

import type { LobbyRoom, LobbyView, Pool } from "@pierule/client";

/** Whether a bot waits in a room, or plays there. */
export const hasBot = ({ card }: LobbyRoom): boolean => !!card.bots?.some(Boolean);

/** What may be said of house bots to somebody who would play one `after` seconds of waiting (SPEC
 * 23.15): that they are `absent` or all `busy`, that one plays later (`promised`), or `comes` now. */
export type Prospect = "absent" | "busy" | "promised" | "comes";

export function prospectOf(
  lobby: Pick<LobbyView, "rooms" | "bots"> | null,
  after: number | null | undefined,
  waited: number,
): Prospect {
  if (!lobby || after == null) return "absent";
  if (lobby.bots) return waited < after ? "promised" : "comes";
  return lobby.rooms.some((room) => hasBot(room) && room.card.status === "running") ? "busy" : "absent";
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
