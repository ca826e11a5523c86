/** Which part of the lobby the page shows. Pure. */

import { agreesWith, type LobbyPart, type LobbyRoom, type LobbyView, type Pool } from "@pierule/client";

/** Which games of others you look for: those that wait, those that run, or those in which a role is free. */
export const KINDS = {
  all: {},
  open: { status: "open" },
  cut: { free_seat: 0 },
  choose: { free_seat: 1 },
  running: { status: "running" },
} as const satisfies Record<string, LobbyPart>;
export type Kind = keyof typeof KINDS;

/** What you look for; `game` null: any. */
export interface Choice {
  game: string | null;
  kind: Kind;
}
export const ALL: Choice = { game: null, kind: "all" };

/** The part of the lobby that is chosen (SPEC 23.19). */
export const partOf = ({ game, kind }: Choice): LobbyPart => ({ ...KINDS[kind], ...(game && { game }) });

/** The chosen rooms, without your own. A server without filters sends others, too. */
export const chosenOf = (
  rooms: readonly LobbyRoom[],
  choice: Choice,
  own: ReadonlySet<string>,
): LobbyRoom[] => rooms.filter(({ card }) => !own.has(card.room) && agreesWith(partOf(choice), card));

/** The pools of the game that is chosen. */
export const poolsOf = (pools: readonly Pool[], { game }: Choice): Pool[] =>
  pools.filter((pool) => (game ?? pool.game) === pool.game);

/** Whether a bot waits in a room, or plays there. */
export const hasBot = ({ card }: LobbyRoom): boolean => !!card.bots?.some(Boolean);

/** How many bots are in these rooms, as people count them: a name that is in many rooms counts once. */
export const botsIn = (rooms: readonly LobbyRoom[]): number =>
  new Set(rooms.flatMap(({ card }) => card.names.filter((_, seat) => card.bots?.[seat]))).size;

/** What the page can say about house bots to somebody who would play one `after` seconds of waiting (SPEC
 * 23.15): they are `absent`, or all `busy`, or one plays later (`promised`), or one `comes` now. */
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

/** The pools in which others wait; `own` is the key of what you seek. */
export const poolsOfOthers = (
  pools: readonly Pool[],
  own: string | null,
  keyOf: (pool: Pool) => string,
): Pool[] =>
  pools.flatMap((pool) => {
    const others = pool.waiting - Number(keyOf(pool) === own);
    return others > 0 ? [{ ...pool, waiting: others }] : [];
  });
