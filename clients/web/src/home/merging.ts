/** Your games, out of what the server names and what this browser knew. Pure. */

import type { Card, MyRoom, RoomState, Seat } from "@pierule/client";

export interface MyGame {
  room: string;
  game: string;
  size: number;
  status: RoomState["status"];
  names: (string | null)[];
  standings?: Card["standings"];
  /** Whether it is your turn, as last seen. */
  mine: boolean;
  at: number;
  /** Of a private room: what others need to join it. */
  invitation: string | null;
  /** Of a game that this browser has seen to its end: the seat that won, and yours if you had one. */
  winner?: Seat | null;
  seat?: Seat | null;
}

const rank = ({ status, mine }: MyGame): number => (mine ? 0 : { running: 1, open: 2, over: 3 }[status]);

/** Games in which it is your turn come first, then those that go on, and last those that are over. */
export const byUrgency = (games: readonly MyGame[]): MyGame[] =>
  [...games].sort((one, other) => rank(one) - rank(other));

/** The games by the server's list: what it does not name any more is over. */
export function merged(known: readonly MyGame[], rooms: readonly MyRoom[]): MyGame[] {
  const listed = new Set(rooms.map(({ card }) => card.room));
  const invitations = new Map(known.map(({ room, invitation }) => [room, invitation]));
  const told = rooms.map(({ card, seats, to_act }) => ({
    room: card.room,
    game: card.game,
    size: card.size,
    status: card.status,
    names: card.names,
    standings: card.standings,
    mine: to_act !== null && seats.includes(to_act),
    at: card.at,
    invitation: invitations.get(card.room) ?? null,
  }));
  const over = known
    .filter(({ room }) => !listed.has(room))
    .map((game) => ({ ...game, status: "over" as const, mine: false }));
  return [...told, ...over];
}
