import { expect, test } from "vitest";
import type { Card, LobbyRoom } from "@pierule/client";
import { PLACES, onShow } from "../src/home/onShow";

const running = (room: string, fields: Partial<Card> = {}, spectators = 0): LobbyRoom => ({
  card: {
    room,
    game: "loose",
    size: 5,
    status: "running",
    names: ["Ada", "Bo"],
    turn: 3,
    at: 1,
    bots: [false, false],
    ...fields,
  },
  spectators,
});
const own: ReadonlySet<string> = new Set();
const none: ReadonlyMap<string, boolean> = new Map();

test("people come before bots, then what others watch, then what was played in last", () => {
  const rooms = [
    running("bot", { bots: [true, false], at: 9 }, 5),
    running("old", { at: 1 }),
    running("new", { at: 2 }),
    running("watched", {}, 1),
  ];
  expect(onShow([], none, rooms, own)).toEqual(["watched", "new", "old"]);
});

test("a game that goes on keeps its place, whatever else begins", () => {
  const rooms = [running("a"), running("b"), running("better", { at: 9 }, 99), running("c")];
  expect(onShow(["c", "a", "b"], none, rooms, own)).toEqual(["c", "a", "b"]);
});

test("a finished game gives way to a running one, and stays if there is none", () => {
  const ended = new Map([["a", true]]);
  expect(onShow(["a", "b"], ended, [running("c")], own)).toEqual(["c", "b"]);
  expect(onShow(["a", "b"], ended, [running("a"), running("b")], own)).toEqual(["a", "b"]);
});

test("open games and your own are not shown", () => {
  const mine = new Set(["mine"]);
  const rooms = [running("mine"), running("open", { status: "open" }), running("theirs")];
  expect(onShow(["mine"], none, rooms, mine)).toEqual(["theirs"]);
});

test("a game that ended unseen goes and does not come back", () => {
  const ended = new Map([["a", false]]);
  expect(onShow(["a", "b"], ended, [running("a"), running("b")], own)).toEqual(["b"]);
  expect(onShow(["a", "b"], ended, [running("c")], own)).toEqual(["b", "c"]);
});

test("a game in which nothing happens any more gives way, and does not come back", () => {
  const rooms = [running("idle", { at: 4 }), running("lively", { at: 5 })];
  expect(onShow(["idle"], none, rooms, own, 5)).toEqual(["lively"]);
  expect(onShow([], none, rooms, own, 5)).toEqual(["lively"]);
  expect(onShow(["idle"], new Map([["idle", true]]), [], own, 5)).toEqual(["idle"]); // its end is shown
});

test("shown games stay while no other may come", () => {
  expect(onShow([], none, [], own)).toEqual([]);
  expect(onShow(["a"], none, [], own)).toEqual(["a"]);
});

test("there are at most as many boards as places", () => {
  const rooms = [..."abcdefgh"].map((room) => running(room));
  expect(onShow([], none, rooms, own)).toHaveLength(PLACES);
});
