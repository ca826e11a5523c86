/** The games in which you sit: those that the server lists (SPEC 23.9), and what only this browser knows,
 * namely games that are over, and invitations. */

import type { RoomState, Seat } from "@pierule/client";
import { computed, signal } from "@preact/signals";
import { route } from "../route";
import { client } from "../server";
import { load, save } from "../storage";
import { challengeableIn } from "./lately";
import { merged, type MyGame } from "./merging";

/** The most games to keep: more than the server lists, so that some that are over stay. */
const MOST = 130;

function read(): MyGame[] {
  try {
    const found: unknown = JSON.parse(load("mine") ?? "[]");
    return Array.isArray(found) ? (found as MyGame[]).filter((game) => typeof game?.room === "string") : [];
  } catch {
    return [];
  }
}

export const mine = signal<readonly MyGame[]>(read());
/** In how many games it is your turn, apart from the game on the screen. */
export const turns = computed(() => {
  const { value: at } = route;
  return mine.value.filter((game) => game.mine && !(at.at === "room" && at.room === game.room)).length;
});
addEventListener("storage", () => (mine.value = read()));

function keep(games: readonly MyGame[]): void {
  mine.value = [...games].sort((a, b) => b.at - a.at).slice(0, MOST);
  save("mine", JSON.stringify(mine.value));
}

/** Keep what was last seen of a game in which you sit. */
export function remember(state: RoomState, seats: readonly Seat[], invitation: string | null): void {
  const { room, position, status, at } = state;
  const mineNow = status === "running" && position.to_act !== null && seats.includes(position.to_act);
  const [first, second] = state.seats;
  const names = [first?.name ?? null, second?.name ?? null];
  const standings: MyGame["standings"] = [first?.standing ?? null, second?.standing ?? null];
  const { game, size } = position;
  const known = mine.value.find((other) => other.room === room);
  const invited = invitation ?? known?.invitation ?? null; // players may come without it
  const won = state.result?.winner;
  const winner = won === 0 || won === 1 ? won : null;
  const seat = seats.length === 1 ? seats[0]! : null;
  const other = seat === null ? null : state.seats[seat ? 0 : 1];
  const seen: MyGame = {
    room,
    game,
    size,
    status,
    names,
    standings,
    mine: mineNow,
    at,
    invitation: invited,
    winner,
    seat,
    rival: challengeableIn(other),
  };
  if (JSON.stringify(known) === JSON.stringify(seen)) return;
  keep([seen, ...read().filter((other) => other.room !== room)]);
}

/** Remove a game from the list. */
export function forget(room: string): void {
  keep(read().filter((other) => other.room !== room));
}

/** Ask the server for your games. Resolves when the list is up to date. */
export function refreshMine(): Promise<void> {
  return client.myRooms().then(
    (rooms) => keep(merged(read(), rooms)),
    () => {}, // the client has stopped, as its status says
  );
}

client.welcomed(() => void refreshMine());
client.hear((news) => {
  if (news.type === "notice" && news.kind === "your_turn") void refreshMine();
});
