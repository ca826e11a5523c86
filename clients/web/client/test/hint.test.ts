/** A connection says for which room it is made, by its bucket only. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Client, json } from "../src/index.js";
import { hinted } from "../src/hint.js";
import { FakeSocket, WELCOME, type Message } from "./socket.js";

test("an address names the bucket of a room, never the room", () => {
  expect(hinted("ws://here/ws", "kobadimutelosa")).toBe("ws://here/ws?bucket=35");
  expect(hinted("ws://here/ws?a=b", "kobadimutelosa")).toBe("ws://here/ws?a=b&bucket=35");
  expect(hinted("ws://here/ws")).toBe("ws://here/ws");
});

const ROOM = "kobadimutelosa";

let sockets: FakeSocket[];
let urls: string[];

beforeEach(() => {
  vi.useFakeTimers();
  [sockets, urls] = [[], []];
});

afterEach(() => {
  vi.useRealTimers();
});

/** A client of a server that may send it elsewhere. */
function begin(room?: string): Client {
  const open = (url: string, protocol: string) => {
    urls.push(url);
    sockets.push(new FakeSocket(protocol));
    return sockets.at(-1)!;
  };
  return new Client({ urls: ["ws://here/ws"], codec: json, open, ...(room && { room }) });
}

/** The latest connection, welcomed. */
function welcomed(features = ["goto"]): FakeSocket {
  const socket = sockets.at(-1)!;
  socket.onopen();
  socket.say({ type: "ok", id: socket.sent[0]!.id, welcome: { ...WELCOME, features } });
  return socket;
}

function joins(socket: FakeSocket): Message[] {
  return socket.sent.filter(({ type }) => type === "join");
}

function elsewhere(socket: FakeSocket): void {
  socket.say({ type: "error", id: joins(socket).at(-1)!.id, code: "goto", text: "elsewhere" });
}

test("a client comes back where the room is that it joined last", async () => {
  const client = begin(ROOM);
  const socket = welcomed([]);
  client.join("fipobego");
  socket.onclose({ code: 1012 });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(urls.slice(0, 2)).toEqual(["ws://here/ws?bucket=35", "ws://here/ws?bucket=20"]);
  client.close();
});

test("a client goes at once where it is sent, and nobody is told", () => {
  const client = begin();
  const first = welcomed();
  const told: string[] = [];
  client.listen(() => told.push(client.status.kind));
  client.join(ROOM, "any");
  const [join] = joins(first);
  expect(join).toMatchObject({ room: ROOM, goto: true });
  elsewhere(first);
  expect(urls).toEqual(["ws://here/ws", "ws://here/ws?bucket=35"]);
  const [there] = joins(welcomed());
  expect(there).toMatchObject({ room: ROOM, seat: "any", nonce: join!.nonce });
  expect(there).not.toHaveProperty("goto");
  expect(new Set(told)).toEqual(new Set(["online"]));
  client.close();
});

test("a client with another request under way stays", () => {
  const client = begin();
  const socket = welcomed();
  client.join(ROOM);
  client.request({ type: "my_rooms" }).catch(() => {});
  elsewhere(socket);
  expect(urls).toHaveLength(1);
  expect(joins(socket)[1]).not.toHaveProperty("goto");
  client.close();
});

test("a client stays if it came by the hint, follows a room, or the server lacks the feature", () => {
  for (const [room, features, others] of [
    [ROOM, ["goto"], []],
    ["", ["goto"], ["fipobego"]],
    ["", [], []],
  ] as const) {
    const client = begin(room);
    const socket = welcomed([...features]);
    for (const other of others) client.join(other);
    client.join(ROOM);
    expect(joins(socket).at(-1)).not.toHaveProperty("goto");
    client.close();
  }
});
