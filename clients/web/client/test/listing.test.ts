/** Rooms as they are listed page by page, and of servers that have no pages. */

import { expect, test } from "vitest";
import { Client, json, withListed, type RoomFilter } from "../src/index.js";
import type { Card } from "../src/messages.js";
import { FakeSocket, WELCOME, type Message } from "./socket.js";

const card = (room: string, fields: Partial<Card> = {}): Card => ({
  room,
  game: "loose",
  size: 5,
  status: "open",
  names: ["Ada", null],
  turn: 0,
  at: 1,
  ...fields,
});

/** A client of a server that answers what is asked of it, one answer for each request. */
function asking(features: string[], answers: Message[], welcomed = true) {
  const socket = new FakeSocket("");
  const asked: Message[] = [];
  const open = (_: string, protocol: string) => Object.assign(socket, { protocol });
  socket.send = (data) => {
    const { type, id, ...fields } = JSON.parse(data as string);
    if (type === "rooms") {
      asked.push(fields);
      socket.say({ type: "ok", id, ...answers.shift() });
    } else if (type === "ping") socket.say({ type: "ok", id, now: 1 });
    else if (type === "hello") socket.say({ type: "ok", id, welcome: { ...WELCOME, features } });
  };
  const client = new Client({ urls: ["ws://one"], codec: json, open });
  if (welcomed) socket.onopen();
  return { client, asked, socket };
}

test("a list goes on over short pages and empty ones", async () => {
  const pages = [{ rooms: [card("a")], next: "h0" }, { next: "a0" }, { rooms: [card("b")], next: "a1" }];
  const { client, asked } = asking(["filters"], [...pages, { rooms: [card("c")] }]);
  const listed = await client.listRooms(null, { game: "loose", free_seat: "any" });
  expect(listed.map(({ room }) => room)).toEqual(["a", "b", "c"]);
  const wanted = { limit: 100, game: "loose", free_seat: "any" };
  expect(asked).toEqual([null, "h0", "a0", "a1"].map((after) => ({ ...wanted, after })));
});

test("a list has no more rooms than are wanted", async () => {
  const { client, asked } = asking(
    ["filters"],
    [
      { rooms: [card("a"), card("b")], next: "h0" },
      { rooms: [card("c")], next: "h1" },
    ],
  );
  expect(await client.listRooms(3, { status: "open" })).toHaveLength(3);
  expect(asked.map(({ limit }) => limit)).toEqual([3, 1]);
});

test("without the feature the client looks through the latest rooms", async () => {
  const rooms = [
    card("a"),
    card("b", { size: 7, names: ["Ada", null] }),
    card("c", { size: 7, names: [null, "Bea"] }),
    card("d", { size: 7, names: ["Ada", "Bea"], status: "running" }),
  ];
  const listed = async (...wanted: [number | null, RoomFilter]) => {
    const { client, asked } = asking([], [{ rooms }]);
    const found = await client.listRooms(...wanted);
    expect(asked).toEqual([{ limit: 100 }]);
    return found.map(({ room }) => room);
  };
  expect(await listed(1, { size: 7 })).toEqual(["b"]);
  expect(await listed(null, { size: 7, free_seat: 0 })).toEqual(["c"]);
  expect(await listed(null, { size: 7, free_seat: "any", game: "loose" })).toEqual(["b", "c"]);
  expect(await listed(null, { status: "running" })).toEqual(["d"]);
  expect(await listed(null, { game: "taugo" })).toEqual([]);
});

test("the features of the server are known before rooms are listed", async () => {
  const { client, asked, socket } = asking(["filters"], [{ rooms: [card("a")] }], false);
  const listing = client.listRooms(5, { game: "loose" });
  socket.onopen();
  expect(await listing).toHaveLength(1);
  expect(asked).toEqual([{ limit: 5, game: "loose", after: null }]);
});

test("listed rooms are merged with those of the lobby", () => {
  const lobby = [
    { card: card("new", { at: 9 }), spectators: 2 },
    { card: card("left", { at: 8, away: true }), spectators: 0 },
  ];
  const rooms = withListed(lobby, [card("new", { at: 1 }), card("old", { at: 2 })]);
  expect(rooms.map((room) => [room.card.room, room.spectators])).toEqual([
    ["new", 2],
    ["old", 0],
    ["left", 0],
  ]);
});
