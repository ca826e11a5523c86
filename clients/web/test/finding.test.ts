import { expect, test } from "vitest";
import type { Card, LobbyRoom, MyRoom, Pool } from "@pierule/client";
import {
  ALL,
  KINDS,
  botsIn,
  chosenOf,
  partOf,
  poolsOf,
  poolsOfOthers,
  prospectOf,
  type Kind,
} from "../src/home/finding";
import { merged, type MyGame } from "../src/home/merging";

const card = (room: string, fields: Partial<Card> = {}): Card => ({
  room,
  game: "loose",
  size: 5,
  status: "open",
  names: ["Ada", null],
  turn: 0,
  at: 1,
  bots: [false, false],
  ...fields,
});
const listed = (room: string, fields: Partial<Card> = {}): LobbyRoom => ({
  card: card(room, fields),
  spectators: 0,
});
const bots: Card["bots"] = [true, false];

test("bots are counted as people count them: each once, in however many rooms it waits", () => {
  const waiting = (room: string, name: string) => listed(room, { bots, names: [name, null] });
  const rooms = [waiting("a", "Pip"), waiting("b", "Pip"), waiting("c", "Otto"), listed("d")];
  expect(botsIn(rooms)).toBe(2);
  expect(botsIn([listed("e", { bots: [true, true], names: ["Pip", "Otto"] })])).toBe(2);
  expect(botsIn([])).toBe(0);
});

test("a bot is promised only where one is free", () => {
  const [person, offers, plays] = [
    listed("person", { status: "running" }),
    listed("offers", { bots }),
    listed("plays", { bots, status: "running" }),
  ];
  expect(prospectOf({ rooms: [], bots: 1 }, 15, 14)).toBe("promised");
  expect(prospectOf({ rooms: [plays], bots: 1 }, 15, 15)).toBe("comes");
  expect(prospectOf({ rooms: [plays], bots: 0 }, 15, 3)).toBe("busy");
  expect(prospectOf({ rooms: [person, offers], bots: 0 }, 15, 20)).toBe("absent");
  expect(prospectOf({ rooms: [], bots: 3 }, undefined, 20)).toBe("absent");
  expect(prospectOf(null, 15, 20)).toBe("absent");
});

test("your own seek does not count among those who wait", () => {
  const pool = (size: number, waiting: number): Pool => ({ game: "loose", size, control: null, waiting });
  const keyOf = ({ size }: Pool) => String(size);
  expect(poolsOfOthers([pool(5, 1), pool(7, 1), pool(9, 2)], "5", keyOf)).toEqual([pool(7, 1), pool(9, 2)]);
  expect(poolsOfOthers([pool(5, 3)], "5", keyOf)).toEqual([pool(5, 2)]);
});

test("the lobby shows the chosen kind of rooms without your own", () => {
  const rooms = [
    listed("own"),
    listed("open"),
    listed("first", { names: [null, "Bo"], game: "taugo" }),
    listed("running", { names: ["Ada", "Bo"], status: "running" }),
  ];
  const ids = (kind: Kind, game: string | null = null) =>
    chosenOf(rooms, { game, kind }, new Set(["own"])).map(({ card }) => card.room);
  expect(Object.keys(KINDS).map((kind) => ids(kind as Kind))).toEqual([
    ["open", "first", "running"],
    ["open", "first"],
    ["first"],
    ["open"],
    ["running"],
  ]);
  expect(ids("all", "taugo")).toEqual(["first"]);
  expect(partOf({ game: "taugo", kind: "cut" })).toEqual({ game: "taugo", free_seat: 0 });
  expect(partOf(ALL)).toEqual({});
  const pools: Pool[] = ["loose", "taugo"].map((game) => ({ game, size: 5, control: null, waiting: 1 }));
  expect(poolsOf(pools, { game: "taugo", kind: "open" })).toEqual([pools[1]]);
  expect(poolsOf(pools, ALL)).toEqual(pools);
});

test("my games are those that the server names, and my finished ones", () => {
  const known: MyGame[] = ["kept", "ended"].map((room) => ({
    room,
    game: "loose",
    size: 5,
    status: "running",
    names: ["Ada", "Bo"],
    mine: true,
    at: 1,
    invitation: "secret-of-this-room",
  }));
  const rooms: MyRoom[] = [
    { card: card("kept", { status: "running", turn: 3, at: 9 }), seats: [1], to_act: 0 },
    { card: card("elsewhere", { status: "running" }), seats: [0], to_act: 0 },
    { card: card("open"), seats: [0], to_act: null },
  ];
  const games = merged(known, rooms).map(({ room, status, mine }) => [room, status, mine]);
  expect(games).toEqual([
    ["kept", "running", false],
    ["elsewhere", "running", true],
    ["open", "open", false],
    ["ended", "over", false],
  ]);
  expect(merged(known, rooms)[0]?.invitation).toBe("secret-of-this-room");
});

test("a game that was set aside is nobody's turn until the server lists it without that", () => {
  const of = (aside: boolean, to_act: 0 | null) =>
    [{ card: card("kept", { status: "running" }), seats: [0], to_act, aside }] as MyRoom[];
  const kept = merged([], of(true, null));
  expect(kept[0]).toMatchObject({ status: "running", mine: false, aside: true });
  expect(merged(kept, of(false, 0))[0]).toMatchObject({ mine: true, aside: false });
  expect(merged(kept, [])[0]).toMatchObject({ status: "over", aside: false });
});

test("games that the server names have their opponents, too", () => {
  const rival = { user: "bo", name: "Bo" };
  const known = [
    { room: "kept", rival },
    { room: "ended", rival },
  ] as MyGame[];
  const rooms = [{ card: card("kept", { status: "running" }), seats: [0], to_act: 0 }] as MyRoom[];
  expect(merged(known, rooms).map((game) => game.rival)).toEqual([rival, rival]);
});
