/** Lines that are missing, and messages that say something else now, while others come. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Client, json, type Room } from "../src/index.js";
import type { ChatMessage } from "../src/messages.js";
import { FakeSocket, WELCOME, type Message } from "./socket.js";

/** As many messages are told at once (SPEC 21.5). */
const PAGE = 50;

let sockets: FakeSocket[];
let client: Client;
let room: Room;

beforeEach(() => {
  vi.useFakeTimers();
  sockets = [];
  const open = (_: string, protocol: string) => {
    sockets.push(new FakeSocket(protocol));
    return sockets.at(-1)!;
  };
  client = new Client({ urls: ["ws://one"], codec: json, open });
  room = client.join("kobadimu");
  greet();
});

afterEach(() => {
  client.close();
  vi.useRealTimers();
});

/** The latest connection opens, and is welcomed. */
function greet(): void {
  socket().onopen();
  socket().say({ type: "ok", id: socket().sent.at(-1)!.id, welcome: WELCOME });
}

const socket = () => sockets.at(-1)!;
const asked = (among = socket()) => among.sent.filter(({ type }) => type === "chat_history");
const messages = (first: number, last: number, text: string | null = "words"): ChatMessage[] =>
  Array.from({ length: last - first + 1 }, (_, i) => ({ seq: first + i, at: first + i, user: "eve", text }));
const chat = (...said: ChatMessage[]) =>
  socket().say({ type: "chat", room: room.id, channel: "players", messages: said });
const heard = () => room.chat.messages.map(({ seq }) => seq);
const upTo = (last: number) => messages(1, last).map(({ seq }) => seq);

/** The server answers the latest request for messages. */
async function answer(said: ChatMessage[], to: Message = asked().at(-1)!): Promise<void> {
  socket().say({ type: "ok", id: to.id, room: room.id, channel: "players", messages: said });
  await vi.advanceTimersByTimeAsync(0);
}

test("a message that arrives before an older answer is asked for, too", async () => {
  chat(...messages(1, 2));
  chat(...messages(4, 4));
  expect(asked().map(({ first }) => first)).toEqual([3]);
  await answer(messages(3, 4));
  chat(...messages(6, 6)); // the answer was made before that was said, and comes behind it
  await answer([]);
  expect(asked().at(-1)!.first).toBe(5);
  await answer(messages(5, 6));
  await answer([]);
  expect(heard()).toEqual(upTo(6));
  expect(asked()).toHaveLength(4);
});

test("messages that arrive during a request are heard once, and at once if they follow", async () => {
  chat(...messages(1, 2));
  chat(...messages(4, 4));
  chat(...messages(3, 5));
  expect(heard()).toEqual(upTo(5));
  await answer(messages(3, 4));
  chat(...messages(6, 6));
  await answer([]);
  await answer([]);
  expect(heard()).toEqual(upTo(6));
});

test("a refusal ends the asking, unless other messages are missing since", async () => {
  const refuse = async () => {
    socket().say({ type: "error", id: asked().at(-1)!.id, code: "wrong_channel", text: "the game runs" });
    await vi.advanceTimersByTimeAsync(0);
  };
  chat(...messages(1, 1));
  chat(...messages(3, 3));
  chat(...messages(4, 4)); // the game is over now, but the refusal is on its way
  await refuse();
  expect(asked()).toHaveLength(2);
  await refuse();
  expect(asked()).toHaveLength(2);
  chat(...messages(5, 5));
  await answer(messages(2, 5));
  await answer([]);
  expect(heard()).toEqual(upTo(5));
});

test("returning to a room is not held up by earlier requests", async () => {
  chat(...messages(1, 1));
  chat(...messages(3, 3));
  client.leave(room);
  room = client.join("kobadimu");
  chat(...messages(1, 3));
  chat(...messages(5, 5));
  expect(asked().map(({ first }) => first)).toEqual([2, 4]);
  await answer(messages(4, 5));
  expect(heard()).toEqual(upTo(5));
});

test("messages missed without a connection are heard, page by page", async () => {
  chat(...messages(1, 1));
  chat(...messages(3, 3));
  socket().onclose({ code: 1012 });
  await vi.advanceTimersToNextTimerAsync(); // it connects again
  expect(sockets).toHaveLength(2);
  greet();
  chat(...messages(101, 150));
  await answer(messages(2, PAGE + 1));
  chat(...messages(151, 151));
  await answer(messages(PAGE + 2, 2 * PAGE + 1));
  await answer(messages(2 * PAGE + 2, 151));
  await answer([]);
  expect(heard()).toEqual(upTo(151));
});

test("rereading hears all messages again, also those that arrive meanwhile", async () => {
  chat(...messages(1, PAGE, null));
  chat(...messages(PAGE + 1, 2 * PAGE, null));
  const reread = client.reread(room, "players", 1);
  await answer(messages(1, PAGE));
  chat(...messages(2 * PAGE + 1, 2 * PAGE + 1, null));
  await answer(messages(PAGE + 1, 2 * PAGE));
  await answer(messages(2 * PAGE + 1, 2 * PAGE + 1));
  await reread;
  expect(asked().map(({ first }) => first)).toEqual([1, PAGE + 1, 2 * PAGE + 1]);
  expect(heard()).toEqual(upTo(2 * PAGE + 1));
  expect(room.chat.messages.every(({ text }) => text === "words")).toBe(true);
});

test("a server that tells of no further messages is not asked for ever", async () => {
  chat(...messages(1, 3, null));
  chat(...messages(5, 5));
  await answer(messages(1, 3));
  const reread = client.reread(room, "players", 2);
  await answer(messages(1, 1));
  await reread;
  expect(asked().map(({ first }) => first)).toEqual([4, 2]);
});
