/** Requests that were refused for now, and what has them sent again before their time (SPEC 7). */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Client, json } from "../src/index.js";
import { FakeSocket, WELCOME } from "./socket.js";

let sockets: FakeSocket[];
let client: Client;

function greet() {
  const socket = sockets.at(-1)!;
  socket.onopen();
  socket.say({ type: "ok", id: socket.sent.shift()!.id, welcome: WELCOME });
  return socket;
}

function refuse(socket: FakeSocket, code: string, retry_ms?: number) {
  const { id } = socket.sent.shift()!;
  socket.say({ type: "error", id, code, text: "later", retry_ms });
}

beforeEach(() => {
  vi.useFakeTimers();
  vi.spyOn(Math, "random").mockReturnValue(0.99);
  sockets = [];
  const open = (_: string, protocol: string) => {
    sockets.push(new FakeSocket(protocol));
    return sockets.at(-1)!;
  };
  client = new Client({ urls: ["ws://one"], codec: json, open });
});

afterEach(() => {
  client.close();
  vi.useRealTimers();
  vi.restoreAllMocks();
});

async function refusedOften(socket: FakeSocket, code: string) {
  for (let n = 0; n < 5; n++) {
    refuse(socket, code);
    expect(socket.sent).toEqual([]);
    await vi.advanceTimersByTimeAsync(n < 4 ? 8_000 : 500);
  }
}

test("waits are at most 8 s long", async () => {
  const socket = greet();
  void client.request({ type: "rooms", limit: 1 }).catch(() => {});
  await refusedOften(socket, "unavailable");
  expect(socket.sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(7_500);
  expect(socket.sent.map((each) => each.type)).toEqual(["rooms"]);
});

test.each([
  ["unavailable", 1],
  ["internal", 0],
])("store_back ends the wait after %s: %i", async (code, times) => {
  const socket = greet();
  void client.request({ type: "rooms", limit: 1 }).catch(() => {});
  await refusedOften(socket, code);
  socket.say({ type: "notice", kind: "store_back" });
  expect(socket.sent).toEqual([]);
  await vi.advanceTimersByTimeAsync(500);
  expect(socket.sent.length).toEqual(times);
  if (!times) return;
  refuse(socket, code); // it counts anew
  await vi.advanceTimersByTimeAsync(500);
  expect(socket.sent.length).toEqual(1);
});

test("a room that was left is not joined again after a wait", async () => {
  const socket = greet();
  const room = client.join("babebibo");
  refuse(socket, "unavailable");
  client.leave(room);
  await vi.advanceTimersByTimeAsync(8_000);
  expect(socket.sent.map((each) => each.type)).toEqual(["leave"]);
});

test("a new connection ends all waits, and what waited is sent once", async () => {
  const socket = greet();
  void client.request({ type: "rooms", limit: 1 }).catch(() => {});
  refuse(socket, "rate", 60_000);
  socket.onclose({ code: 1012 });
  await vi.advanceTimersByTimeAsync(500);
  const next = greet();
  expect(next).not.toBe(socket);
  expect(next.sent.map((each) => each.type)).toEqual(["rooms"]);
  next.sent.length = 0;
  await vi.advanceTimersByTimeAsync(8_000);
  expect([...socket.sent, ...next.sent]).toEqual([]);
});
