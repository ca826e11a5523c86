/** A server that refuses connections: what it says is shown, and what it asks for is done. */

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Client, json } from "../src/index.js";
import { platform } from "../src/environment.js";
import { explainBy, type Refusal } from "../src/refusal.js";
import { FakeSocket, WELCOME } from "./socket.js";

const explain = explainBy(platform);
let server: Server;
let answer: { status: number; headers: Record<string, string>; body: string };

beforeEach(async () => {
  server = createServer((_, response) => {
    response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
});

afterEach(() => {
  vi.useRealTimers();
  server.close();
});

const ask = (status: number, headers: Record<string, string>, body: string) => {
  answer = { status, headers: { "Content-Type": "text/plain; charset=utf-8", ...headers }, body };
  return explain(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws`);
};

test("the HTTP answer to a refused handshake is read", async () => {
  const busy = await ask(429, { "Retry-After": "7" }, "Too many.\n");
  expect(busy).toEqual({ text: "Too many.", final: false, wait: 7_000 });
  expect(await ask(503, {}, "Away.")).toEqual({ text: "Away.", final: false, wait: 1_000 });
  expect((await ask(503, { "Retry-After": "9e9" }, ""))?.wait).toBe(30_000);
  expect(await ask(403, {}, "Banned.")).toEqual({ text: "Banned.", final: true, wait: 0 });
});

test("HTTP answers about other things are ignored", async () => {
  expect(await ask(426, {}, "Upgrade, please.")).toBeNull();
  expect(await ask(404, {}, "Nothing here.")).toBeNull();
  expect(await ask(403, { "Content-Type": "text/html" }, "<h1>A proxy's</h1>")).toBeNull();
  expect(await explain("ws://127.0.0.1:9/ws")).toBeNull();
});

/** A client whose connections end before they open, until `open` is called. */
function refused(urls: string[], refusal: Refusal | null) {
  vi.useFakeTimers();
  const sockets: FakeSocket[] = [];
  const client = new Client({
    urls,
    codec: json,
    open: (_, protocol) => {
      sockets.push(new FakeSocket(protocol));
      return sockets.at(-1)!;
    },
    explain: async () => refusal,
  });
  return { client, sockets };
}

test("a client waits for as long as a busy server says, and tells why", async () => {
  const { client, sockets } = refused(["ws://one"], { text: "Too many.", final: false, wait: 7_000 });
  sockets[0]!.onclose({ code: 1006 });
  await vi.advanceTimersByTimeAsync(0);
  expect(client.status).toMatchObject({ kind: "waiting", text: "Too many." });
  await vi.advanceTimersByTimeAsync(6_900);
  expect(sockets).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(4_000);
  expect(sockets).toHaveLength(2);
  sockets[1]!.onopen();
  sockets[1]!.say({ type: "ok", id: sockets[1]!.sent.at(-1)!.id, welcome: WELCOME });
  expect(client.status.kind).toBe("online");
  client.close();
});

test("a busy node does not hold up the others", async () => {
  const { client, sockets } = refused(["ws://one", "ws://two"], {
    text: "Away.",
    final: false,
    wait: 30_000,
  });
  sockets[0]!.onclose({ code: 1006 });
  await vi.advanceTimersByTimeAsync(600);
  expect(sockets).toHaveLength(2);
  client.close();
});

test("a client that may not connect stops, and tells why", async () => {
  const { client, sockets } = refused(["ws://one"], { text: "Sorry, banned.", final: true, wait: 0 });
  sockets[0]!.onclose({ code: 1006 });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(client.status).toMatchObject({ kind: "stopped", error: { message: "Sorry, banned." } });
  expect(sockets).toHaveLength(1);
});
