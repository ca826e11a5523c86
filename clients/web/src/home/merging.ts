/** Your games, merged from the server's list and from what this browser knew. Pure. */

import type { Card, MyRoom, RoomState, Seat } from "@pierule/client";
import type { Person } from "./lately";

export interface MyGame {
  room: string;
  game: string;
  size: number;
  status: RoomState["status"];
  names: (string | null)[];
  standings?: Card["standings"];
  /** Whether it is your turn, as last seen. */
  mine: boolean;
  /** Whether the operators have set the room aside, as last seen. */
  aside?: boolean;
  at: number;
  /** What others need to join a private room. */
  invitation: string | null;
  /** Of a game that this browser saw end: the seat that won, and your seat if you had one. */
  winner?: Seat | null;
  seat?: Seat | null;
  /** Who plays against you, as far as this browser has seen, if you can challenge them. */
  rival?: Person | null;
}

const rank = ({ status, mine }: MyGame): number => (mine ? 0 : { running: 1, open: 2, over: 3 }[status]);

/** Games in which it is your turn come first, then others that are not over, and last those that are. */
export const byUrgency = (games: readonly MyGame[]): MyGame[] =>
  [...games].sort((one, other) => rank(one) - rank(other));

/** The games after the server sent its list. A game that it no longer lists is over. */
export function merged(known: readonly MyGame[], rooms: readonly MyRoom[]): MyGame[] {
  const listed = new Set(rooms.map(({ card }) => card.room));
  const before = new Map(known.map((game) => [game.room, game]));
  const told = rooms.map(({ card, seats, to_act, aside }) => ({
    room: card.room,
    game: card.game,
    size: card.size,
    status: card.status,
    names: card.names,
    standings: card.standings,
    mine: to_act !== null && seats.includes(to_act),
    aside,
    at: card.at,
    invitation: before.get(card.room)?.invitation ?? null,
    rival: before.get(card.room)?.rival ?? null,
  }));
  const over = known
    .filter(({ room }) => !listed.has(room))
    .map((game) => ({ ...game, status: "over" as const, mine: false, aside: false }));
  return [...told, ...over];
}
