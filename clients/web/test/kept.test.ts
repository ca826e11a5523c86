/** What the page keeps for times without a connection. */

import type { archive, PositionState } from "@pierule/client";
import { expect, test, vi } from "vitest";
import { Kept } from "../src/offline/kept";
import { KeptGames } from "../src/offline/games";
import { MemoryCaches } from "./caches";

const values = () => new Kept<number>("numbers", 3, new MemoryCaches().storage);

test("kept values are found, the latest first", async () => {
  const kept = values();
  for (const [at, key] of ["a", "b/ c", "a"].entries()) await kept.put(key, at);
  expect([await kept.get("a"), await kept.get("b/ c"), await kept.get("d")]).toEqual([2, 1, null]);
  expect(await kept.all()).toEqual([2, 1]);
});

test("the oldest values beyond the bound are dropped", async () => {
  const kept = values();
  for (const [at, key] of ["a", "b", "c", "a", "d"].entries()) await kept.put(key, at);
  expect(await kept.all()).toEqual([4, 3, 2]);
  expect(await kept.get("b")).toBeNull();
});

test("without storage nothing is found and nothing fails", async () => {
  const full = { open: () => Promise.reject(new Error("full")) } as unknown as CacheStorage;
  for (const storage of [undefined, full]) {
    const kept = new Kept<number>("numbers", 3, storage);
    await kept.put("a", 1);
    expect([await kept.get("a"), await kept.all()]).toEqual([null, []]);
  }
});

const EVENTS = [{ epoch: 1, seq: 1, chain: 5, at: 1, record: "{}" }];
const GAME = { feed: 7, room: "rooma", game: "loose", events: EVENTS } as archive.WholeGame;
const LINE = { game: "loose", size: 5, actions: ["a1"] };
const BOARDS = [{ cells: [0] }, { cells: [1] }] as PositionState[];
const away = () => Promise.reject(new Error("away"));
const always = () => true;

test("a game that was opened is there without an archive, by its number and by its room", async () => {
  const games = new KeptGames(new MemoryCaches().storage);
  await expect(games.open("7", away, always)).rejects.toThrow("away");
  expect(await games.open("rooma", async () => GAME, always)).toEqual(GAME);
  await vi.waitUntil(async () => (await games.all()).length);
  for (const name of ["7", "rooma"]) expect(await games.open(name, away, always)).toEqual(GAME);
  await expect(games.open("7", away, () => false)).rejects.toThrow("away"); // it was refused
  await expect(games.open("8", away, always)).rejects.toThrow("away");
});

test("the boards and the account of a kept game are asked for once", async () => {
  const games = new KeptGames(new MemoryCaches().storage);
  await games.open("7", async () => GAME, always);
  await vi.waitUntil(async () => (await games.all()).length);
  const server = { replay: vi.fn(async () => BOARDS), account: vi.fn(async () => ({ marks: [] })) };
  const boards = games.boards(GAME, server);
  expect(await boards.replay(LINE)).toEqual(BOARDS);
  await vi.waitUntil(async () => (await games.find("7"))?.positions);
  expect(await boards.account(LINE)).toEqual({ marks: [] });
  await vi.waitUntil(async () => (await games.find("7"))?.account);
  expect(await games.open("7", async () => GAME, always)).toEqual(GAME); // and again
  const offline = games.boards(GAME, { replay: away, account: away });
  expect([await offline.replay(LINE), await offline.replay(LINE, 1)]).toEqual([BOARDS, BOARDS.slice(1)]);
  expect(await offline.account(LINE)).toEqual({ marks: [] });
});

test.each([
  ["room", { ...GAME, room: "roomb" }],
  ["end", { ...GAME, events: [{ ...EVENTS[0]!, chain: 6 }] }],
])("a game of the same number with another %s has boards of its own", async (_, other) => {
  const games = new KeptGames(new MemoryCaches().storage);
  const server = { replay: async () => BOARDS, account: async () => ({ marks: [] }) };
  await games.open("7", async () => GAME, always);
  await games.boards(GAME, server).replay(LINE);
  await vi.waitUntil(async () => (await games.find("7"))?.positions);
  const ofOther = games.boards(other, { replay: async () => BOARDS.slice(1), account: away });
  expect(await ofOther.replay(LINE)).toEqual(BOARDS.slice(1)); // before it is kept itself
  await games.open("7", async () => other, always);
  await vi.waitUntil(async () => (await games.find("7"))?.positions === null);
  expect(await games.find("7")).toEqual({ game: other, positions: null, account: null });
});
