import { expect, test } from "vitest";
import { foldLobby, type LobbyView } from "../src/lobby.js";
import type { LobbyChange, LobbyRoom, LobbyState, Pool } from "../src/messages.js";

const room = (id: string, at: number, spectators = 0): LobbyRoom => ({
  card: { room: id, game: "loose", size: 5, status: "open", names: ["Ada", null], turn: 0, at },
  spectators,
});
const control = { kind: "fischer", main: 300, increment: 3 } as const;
const pool = (waiting: number, clock: Pool["control"] = null): Pool => ({
  game: "loose",
  size: 9,
  control: clock,
  waiting,
});
const state: LobbyState = { type: "lobby", seq: 7, rooms: [room("a", 1), room("b", 2)], pools: [pool(1)] };
const change = (seq: number, fields: Partial<LobbyChange>): LobbyChange => ({
  type: "lobby_change",
  seq,
  ...fields,
});
const ids = (view: LobbyView | null) => view?.rooms.map(({ card }) => card.room);

test("a snapshot is the lobby, the latest first", () => {
  const view = foldLobby(null, state);
  expect(ids(view)).toEqual(["b", "a"]);
  expect(view?.pools).toEqual([pool(1)]);
});

test("rooms in which nobody waits come last", () => {
  const left = room("c", 3);
  left.card.away = true;
  expect(ids(foldLobby(null, { ...state, rooms: [left, ...state.rooms] }))).toEqual(["b", "a", "c"]);
});

test("changes replace, add and remove rooms", () => {
  const view = foldLobby(
    foldLobby(null, state),
    change(8, { rooms: [room("a", 3, 5), room("c", 4)], gone: ["b"] }),
  );
  expect(ids(view)).toEqual(["c", "a"]);
  expect(view?.rooms[1]?.spectators).toBe(5);
});

test("a pool is its game, size and control; one in which nobody waits is gone", () => {
  const two = foldLobby(foldLobby(null, state), change(8, { pools: [pool(2, control)] }));
  expect(two?.pools).toEqual([pool(1), pool(2, control)]);
  const turned = { increment: 3, main: 300, kind: "fischer" } as const; // order of keys means nothing
  const one = foldLobby(two, change(9, { pools: [pool(0, turned)] }));
  expect(one?.pools).toEqual([pool(1)]);
});

test("a change that is not the next one shows that others are missing", () => {
  const view = foldLobby(null, state);
  expect(foldLobby(view, change(9, {}))).toBeNull();
  expect(foldLobby(null, change(8, {}))).toBeNull();
  expect(ids(foldLobby(view, { ...state, seq: 3, rooms: [] }))).toEqual([]);
});

test("null in a change keeps the number of free house bots", () => {
  const view = foldLobby(null, { ...state, bots: 2 });
  expect(view?.bots).toBe(2);
  const same = foldLobby(view, change(8, { bots: null }));
  expect(same?.bots).toBe(2);
  expect(foldLobby(same, change(9, { bots: 0 }))?.bots).toBe(0);
  expect(foldLobby(null, state)?.bots).toBe(0);
  const levels = [{ bot_level: "search", free: 1 }];
  const run = foldLobby(null, { ...state, bot_levels: levels });
  expect(foldLobby(run, change(8, { bot_levels: null }))?.levels).toEqual(levels);
  expect(foldLobby(run, change(8, { bot_levels: [] }))?.levels).toEqual([]);
});
