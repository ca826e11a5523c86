/** Time, chance and HTTP come from the application if it brings them: nothing else is used. */

import { afterEach, expect, test, vi } from "vitest";
import { Client, json, type Environment } from "../src/index.js";
import { FakeSocket, WELCOME } from "./socket.js";

/** A world whose time passes when it is told to. */
class World implements Environment {
  time = 0;
  private timers: { at: number; run: () => void }[] = [];
  now = () => 1e12 + this.time;
  elapsed = () => this.time;
  random = () => 0.5;
  randomBytes = (length: number) => new Uint8Array(length).fill(7);
  fetch = async () => new Response("Busy.", { status: 503, headers: { "Content-Type": "text/plain" } });
  after = (delay: number, run: () => void) => {
    const timer = { at: this.time + delay, run };
    this.timers.push(timer);
    return () => void (this.timers = this.timers.filter((each) => each !== timer));
  };
  async pass(ms: number): Promise<void> {
    const end = this.time + ms;
    for (;;) {
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
      const [next] = [...this.timers].sort((one, other) => one.at - other.at);
      if (!next || next.at > end) break;
      this.timers = this.timers.filter((each) => each !== next);
      this.time = next.at;
      next.run();
    }
    this.time = end;
  }
}

afterEach(() => vi.restoreAllMocks());

test("a client lives in the world that it is given", async () => {
  const outside = [
    vi.spyOn(globalThis, "setTimeout"),
    vi.spyOn(globalThis, "fetch"),
    vi.spyOn(Math, "random"),
    vi.spyOn(Date, "now"),
    vi.spyOn(performance, "now"),
    vi.spyOn(crypto, "getRandomValues"),
  ];
  const world = new World();
  const sockets: FakeSocket[] = [];
  const open = (_: string, protocol: string) => {
    sockets.push(new FakeSocket(protocol));
    return sockets.at(-1)!;
  };
  const client = new Client({ urls: ["ws://one/ws"], codec: json, open, environment: world });
  sockets[0]!.onclose({ code: 1006 }); // the server is busy, and says so by HTTP
  await world.pass(0);
  expect(client.status).toMatchObject({ kind: "waiting", text: "Busy.", until: 1e12 + 1250 });
  await world.pass(1250);
  const socket = sockets[1]!;
  socket.onopen();
  socket.say({ type: "ok", id: socket.sent.shift()!.id, welcome: WELCOME });
  expect(client.now()).toBe(1e12 + 1250);
  socket.say({ type: "ok", id: socket.sent.shift()!.id, now: 5e12 });
  expect(client.now()).toBe(5e12);
  void client.seek({ game: "loose" }).room.catch(() => {});
  const seek = socket.sent.shift()!;
  expect(seek.nonce).toBe("07".repeat(12));
  socket.say({ type: "error", id: seek.id, code: "unavailable", text: "later" });
  await world.pass(250);
  expect(socket.sent.map(({ type }) => type)).toContain("seek");
  client.close();
  for (const spy of outside) expect(spy).not.toHaveBeenCalled();
});
