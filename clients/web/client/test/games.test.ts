/** How games come about, over sockets of the test's own: requests that outlive connections. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Client, foldChallenges, json, type LobbyView } from "../src/index.js";
import { load } from "./vectors.js";

type Message = Record<string, any>;
const WELCOME = load("resume").transcripts[0].steps[2].receive.welcome;

/** A server of which the test says what it answers. */
class Server {
  readonly client: Client;
  sent: Message[] = [];
  private sockets: any[] = [];

  constructor(
    options: Partial<ConstructorParameters<typeof Client>[0]> = {},
    private readonly features: string[] = [],
  ) {
    const open = (_: string, protocol: string) => {
      const send = (text: string) => this.sent.push(JSON.parse(text));
      const socket = { protocol, send, close() {} };
      this.sockets.push(socket);
      return socket as any;
    };
    const explain = async () => null;
    this.client = new Client({ urls: ["ws://nowhere/ws"], codec: json, open, explain, ...options });
    this.welcome();
  }

  get socket() {
    return this.sockets.at(-1);
  }
  say(message: Message) {
    this.socket.onmessage({ data: JSON.stringify(message) });
  }
  /** The request that came last, which is taken. */
  next(type: string): Message {
    const request = this.sent.shift()!;
    expect(request.type).toBe(type);
    return request;
  }
  welcome() {
    this.socket.onopen();
    this.say({ type: "ok", id: this.next("hello").id, welcome: { ...WELCOME, features: this.features } });
  }
  async lose() {
    this.socket.onclose({ code: 1006 });
    await vi.advanceTimersByTimeAsync(30_000);
    this.welcome();
  }
}

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const SEEK = { game: "loose", size: 5, clock: null } as const;

test("a seek goes on over connections, until it is paired", async () => {
  const server = new Server();
  const wanted = server.client.seek(SEEK);
  const first = server.next("seek");
  server.say({ type: "ok", id: first.id });
  await server.lose();
  const again = server.next("seek");
  expect(again.nonce).toBe(first.nonce);
  server.say({ type: "ok", id: again.id });
  server.say({ type: "paired", nonce: "another", room: "wrong", seat: 0 });
  server.say({ type: "paired", nonce: first.nonce, room: "kobadimu", seat: 0 });
  await expect(wanted.room).resolves.toBe("kobadimu");
  await server.lose();
  expect(server.sent).toEqual([]); // it is sought no more
});

test("a seek whose room came with the answer is paired, too", async () => {
  const server = new Server();
  const wanted = server.client.seek(SEEK);
  server.say({ type: "ok", id: server.next("seek").id, room: "kobadimu", seats: [1] });
  await expect(wanted.room).resolves.toBe("kobadimu");
});

test("withdrawing a seek gives no room, unless it was paired before", async () => {
  for (const room of [null, "kobadimu"]) {
    const server = new Server();
    const wanted = server.client.seek(SEEK);
    server.say({ type: "ok", id: server.next("seek").id });
    void wanted.withdraw();
    server.say({ type: "ok", id: server.next("cancel_seek").id, room });
    await expect(wanted.room).resolves.toBe(room);
  }
});

test.each([
  ["seek_expired", "expired"],
  ["challenge_declined", "declined"],
])("%s ends the wait", async (kind, code) => {
  const server = new Server();
  const wanted = server.client.challenge({ ...SEEK, to: "Bert", named: true });
  const failed = expect(wanted.room).rejects.toMatchObject({ code });
  const { id, nonce } = server.next("challenge");
  server.say({ type: "ok", id });
  server.say({ type: "notice", kind, nonce: "another" });
  server.say({ type: "notice", kind, nonce });
  await failed;
});

test("challenges stand until they are withdrawn", () => {
  const ada = {
    type: "challenged",
    challenge: "5f0c",
    user: "ada",
    name: "Ada",
    game: "loose",
    size: 5,
    control: null,
    seat: null,
  } as const;
  const bob = { ...ada, challenge: "77aa", user: "bob", name: "Bob" };
  const both = [ada, bob, ada].reduce(foldChallenges, []);
  expect(both.map(({ name }) => name)).toEqual(["Ada", "Bob"]); // told again, it stays where it is
  expect(foldChallenges(both, ada)).toBe(both);
  const left = foldChallenges(both, { type: "notice", kind: "challenge_withdrawn", challenge: "77aa" });
  expect(left.map(({ name }) => name)).toEqual(["Ada"]);
  expect(foldChallenges(left, { type: "notice", kind: "challenge_declined", nonce: "x" })).toBe(left);
});

const lobbyOf = (server: Server) => {
  const views: LobbyView[] = [];
  const watch = server.client.watchLobby((view) => views.push(view));
  const answer = async (seq: number, wanted: Message = {}) => {
    const { id, type, ...asked } = server.next("lobby");
    expect(asked).toEqual(wanted);
    server.say({ type: "ok", id });
    server.say({ type: "lobby", seq, rooms: [], pools: [] });
    await vi.advanceTimersByTimeAsync(0);
  };
  return { watch, answer, numbers: () => views.map(({ seq }) => seq) };
};

test("the lobby is asked for again when a change is missing, and on every connection", async () => {
  const server = new Server();
  const { watch, answer, numbers } = lobbyOf(server);
  await answer(3);
  server.say({ type: "lobby_change", seq: 4 });
  server.say({ type: "lobby_change", seq: 6 });
  server.say({ type: "lobby_change", seq: 7 }); // before the new snapshot: no second question
  await answer(7);
  await server.lose();
  await answer(1);
  expect(numbers()).toEqual([3, 4, 7, 1]);
  watch.stop();
  expect(server.next("lobby").watch).toBe(false);
  server.say({ type: "lobby", seq: 9, rooms: [], pools: [] });
  expect(numbers()).toHaveLength(4);
});

test("another part of the lobby is asked for when the request before it was answered", async () => {
  const server = new Server({}, ["filters"]);
  const { watch, answer, numbers } = lobbyOf(server);
  watch.want({ game: "loose" });
  watch.want({ game: "taugo", free_seat: 0 });
  expect(server.sent).toHaveLength(1);
  await answer(3);
  server.say({ type: "lobby_change", seq: 4 }); // of the part before
  await answer(9, { game: "taugo", free_seat: 0 });
  await server.lose();
  await answer(1, { game: "taugo", free_seat: 0 });
  watch.want({});
  await answer(2);
  expect(numbers()).toEqual([3, 9, 1, 2]);
});

test("a server without filters is asked for all of the lobby", async () => {
  const server = new Server();
  const { watch, answer } = lobbyOf(server);
  watch.want({ status: "open" });
  await answer(1);
  await answer(2);
});

test("a message over the rate is reported and sent later", async () => {
  const server = new Server();
  const delayed = vi.fn();
  const said = server.client.request({ type: "say", room: "kobadimu", nonce: "n", text: "Hi" }, delayed);
  const { id } = server.next("say");
  server.say({ type: "error", id, code: "rate", text: "", retry_ms: 400 });
  expect(delayed).toHaveBeenCalledOnce();
  await vi.advanceTimersByTimeAsync(1_000);
  server.say({ type: "ok", id: server.next("say").id });
  await said;
});

test("missing messages are asked for until there are no more", async () => {
  const server = new Server();
  const room = server.client.join("kobadimu");
  server.next("join");
  const line = (seq: number) => ({ seq, at: seq, user: "eve", name: "Eve", text: "Hi" });
  const chat = (seq: number) =>
    server.say({ type: "chat", room: "kobadimu", channel: "players", messages: [line(seq)] });
  const answer = async (first: number, seqs: number[]) => {
    const request = server.next("chat_history");
    expect(request.first).toBe(first);
    server.say({ type: "ok", id: request.id, channel: "players", messages: seqs.map(line) });
    await vi.advanceTimersByTimeAsync(0);
  };
  chat(1);
  chat(4);
  chat(5); // the same trouble: it is asked for once
  await answer(2, [2, 3, 4, 5]);
  await answer(6, []);
  chat(6);
  expect(room.chat.messages.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6]);
  expect(server.sent).toEqual([]);
});

test("registering gives a new token, and hello recovers by the code", async () => {
  const server = new Server();
  const registered = server.client.register("Ada");
  const account = { name: "Ada", recovery: "ABCDE", token: "token-of-registered" };
  server.say({ type: "ok", id: server.next("register").id, account });
  expect((await registered).recovery).toBe("ABCDE");
  expect(server.client.welcome).toMatchObject({ name: "Ada", token: "token-of-registered" });

  const welcomed = vi.fn();
  const sent: Message[] = [];
  let socket: any;
  new Client({
    urls: ["ws://nowhere/ws"],
    codec: json,
    name: "Ada",
    recovery: "ABCDE",
    welcomed,
    open: (_, protocol) =>
      (socket = { protocol, send: (text: string) => sent.push(JSON.parse(text)) }) as any,
  });
  socket.onopen();
  expect(sent[0]).toMatchObject({ type: "hello", name: "Ada", recovery: "ABCDE", token: null });
});
