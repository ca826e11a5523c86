/** The games in which one sat, as far as this browser knows. */

import type { RoomState, Seat } from "@pierule/client";
import { signal } from "@preact/signals";
import { load, save } from "../storage";

export interface MyGame {
  room: string;
  game: string;
  size: number;
  status: RoomState["status"];
  names: (string | null)[];
  /** Whether it is one's turn, as last seen. */
  mine: boolean;
  at: number;
  /** Of a private room: what others need to join it. */
  invitation: string | null;
}

const MOST = 30;

function read(): MyGame[] {
  try {
    const found: unknown = JSON.parse(load("mine") ?? "[]");
    return Array.isArray(found) ? (found as MyGame[]).filter((game) => typeof game?.room === "string") : [];
  } catch {
    return [];
  }
}

export const mine = signal<readonly MyGame[]>(read());
addEventListener("storage", () => (mine.value = read()));

/** Keep what was last seen of a game in which one sits. */
export function remember(state: RoomState, seats: readonly Seat[], invitation: string | null): void {
  const { room, position, status, at } = state;
  const mineNow = status === "running" && position.to_act !== null && seats.includes(position.to_act);
  const names = state.seats.map((holder) => holder?.name ?? null);
  const { game, size } = position;
  const known = mine.value.find((other) => other.room === room);
  const invited = invitation ?? known?.invitation ?? null; // players may come without it
  const seen: MyGame = { room, game, size, status, names, mine: mineNow, at, invitation: invited };
  if (JSON.stringify(known) === JSON.stringify(seen)) return;
  const others = read().filter((other) => other.room !== room);
  mine.value = [seen, ...others].sort((a, b) => b.at - a.at).slice(0, MOST);
  save("mine", JSON.stringify(mine.value));
}

/** Forget a game, because the server has. */
export function forget(room: string): void {
  mine.value = read().filter((other) => other.room !== room);
  save("mine", JSON.stringify(mine.value));
}
