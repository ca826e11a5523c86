import { expect, test } from "vitest";
import type { Card, LobbyRoom, MyRoom, Pool } from "@pierule/client";
import { botsRoom, poolsOfOthers } from "../src/home/finding";
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

test("the room of a bot is open, of that game, and of that size if there is one", () => {
  const rooms = [
    listed("person", {}),
    listed("running", { bots, status: "running" }),
    listed("other", { bots, game: "taugo" }),
    listed("large", { bots, size: 9 }),
    listed("right", { bots }),
  ];
  expect(botsRoom(rooms, "loose", 5)?.card.room).toBe("right");
  expect(botsRoom(rooms, "loose", 7)?.card.room).toBe("large");
  expect(botsRoom(rooms, "veletas", 7)).toBeNull();
});

test("one does not wait for oneself", () => {
  const pool = (size: number, waiting: number): Pool => ({ game: "loose", size, control: null, waiting });
  const keyOf = ({ size }: Pool) => String(size);
  expect(poolsOfOthers([pool(5, 1), pool(7, 1), pool(9, 2)], "5", keyOf)).toEqual([pool(7, 1), pool(9, 2)]);
  expect(poolsOfOthers([pool(5, 3)], "5", keyOf)).toEqual([pool(5, 2)]);
});

test("my games are those that the server names, and those that were mine and are over", () => {
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
