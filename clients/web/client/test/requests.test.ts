/** Every request of the protocol has its method, and sends what its example says. */

import { afterEach, expect, test, vi } from "vitest";
import type { Client, Room } from "../src/index.js";
import type { ClientMessage, Welcome } from "../src/messages.js";
import { WELCOME, type Message } from "./socket.js";
import { Server } from "./server.js";
import { load } from "./vectors.js";

type Send = (client: Client, room: Room, fields: any) => unknown;

/** Requests that the client sends by itself, and examples of that. */
const OWN = [
  "hello", // on each connection
  "board_mismatch", // when a board differs
  "chat_history", // when messages are missing; `reread` asks, too
  "end_sessions-now", // once it has the new token (below)
  "lobby-no-more", // when nobody watches any longer
];

/** Requests whose method is not called by their name with their fields, see `byName`. */
const SENDERS: Partial<Record<ClientMessage["type"], Send>> = {
  create: (client, _, fields) => client.create(fields),
  join: (client, _, { seat, invitation }) => client.join(ANOTHER, seat, invitation),
  leave: (client, room) => client.leave(room),
  legal: (client, room, { prefix, turn, ...question }) =>
    turn === undefined ? client.legal(room, prefix) : client.why(room, turn, question),
  log: (client, room, { first }) => client.log(room.id, first),
  receipt: (client, room, { seq }) => client.receipt(room.id, seq),
  rooms: (client, _, { limit, ...filter }) => client.listRooms(limit, filter),
  replay: (client, _, { first, account, legal, ...line }) =>
    legal ? client.analyze(line, legal) : account ? client.account(line) : client.replay(line, first),
  game: (client, _, { game, lessons }) => (lessons ? client.lessons(game, "") : client.game(game)),
  seek: (client, _, fields) => client.seek(fields).room,
  stand_in: (client, _, { bot_level }) => client.standIn(undefined, bot_level).room,
  cancel_seek: (client) => client.seek({ game: "loose" }).withdraw(),
  challenge: (client, _, fields) => client.challenge(fields).room,
  withdraw_challenge: (client) => client.challenge({ game: "loose", to: "bert" }).withdraw(),
  lobby: (client, _, part) => client.watchLobby(() => {}, part),
};

const FOLLOWED = "kobadimu";
const ANOTHER = "babebibo";

/** What these send instead of such fields of the examples. */
const INSTEAD: Partial<Record<ClientMessage["type"], (fields: any) => Message>> = {
  join: ({ since, goto, ...fields }) => ({ ...fields, room: ANOTHER }), // without a place that it knows
  act: (fields) => ({ ...fields, epoch: null, room: FOLLOWED }), // of a room without a state
  rooms: (fields) => ({ limit: 50, ...fields, after: null }), // from the first page
  create: (fields) => (fields.invitation ? { ...fields, invitation: expect.any(String) } : fields),
  replay: (fields) => (fields.legal ? { ...fields, first: fields.actions.length - 1 } : fields),
};

/** `report_message` is `reportMessage`: the room first if there is one, then the other fields in their order. */
const byName =
  (type: string): Send =>
  (client, room, fields) => {
    const name = type.replace(/_./g, ([, letter]) => letter!.toUpperCase());
    const values = Object.entries(fields).map(([field, value]) => (field === "room" ? room : value));
    return (client as any)[name](...values);
  };

const examples: [name: string, message: Message][] = load("codec")
  .messages.filter(({ from }: any) => from === "client")
  .map(({ name, message }: any) => [name, message]);

let server: Server;
afterEach(() => server.client.close());

const asked = examples.filter(([name, { type }]) => !OWN.includes(type) && !OWN.includes(name));
test.each(asked)("%s is sent as its example says", async (_, { type, id, nonce, ...fields }) => {
  server = new Server({}, { ...WELCOME, features: ["filters"] });
  const room = server.client.join(FOLLOWED);
  server.next("join");
  const send = SENDERS[type as ClientMessage["type"]] ?? byName(type);
  void Promise.resolve(send(server.client, room, fields)).catch(() => {});
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  const message = server.socket.sent.find((each) => each.type === type)!;
  const called =
    "a method takes the fields in their order, and a Room for `room`; any other needs a line in SENDERS";
  expect(message, called).toMatchObject(INSTEAD[type as ClientMessage["type"]]?.(fields) ?? fields);
  if (nonce) expect(message.nonce).toMatch(/^[A-Za-z0-9_-]{1,40}$/);
});

// --- what the methods make of the answers ---

const { rooms } = load("fold");
const { snapshot, steps } = rooms[0];
const opening = snapshot.state.position;
const played = steps.filter(({ event }: any) => JSON.parse(event.record).kind === "acted");
const actions = played.map(({ event }: any) => JSON.parse(event.record).action);
const diffs = played.map(({ event }: any) => event.diff.position);
const line = { game: opening.game, size: opening.size, actions, rules: 1 };

test("analyzing a line gives its last two positions and what may follow", async () => {
  server = new Server();
  const analyzed = server.client.analyze(line, { points: ["a1"] });
  const before = played.at(-2).state.position;
  const legal = { turn: actions.length, total: 1 };
  const asked = await server.answer("replay", {
    replay: { position: before, diffs: [diffs.at(-1)], account: null, legal },
  });
  expect(asked).toMatchObject({ ...line, first: actions.length - 1, legal: { points: ["a1"] } });
  const position = played.at(-1).state.position;
  expect(await analyzed).toEqual({ before, position, legal, account: null });

  const begun = server.client.analyze({ ...line, actions: [] }, {}, true);
  const all = { turn: 0, total: 13 };
  const first = await server.answer("replay", {
    replay: { position: opening, diffs: [], account: { sums: [] }, legal: all },
  });
  expect(first).toMatchObject({ actions: [], first: 0, account: true, legal: {} });
  expect(await begun).toEqual({ before: null, position: opening, legal: all, account: { sums: [] } });
});

test("a replay goes on over its pages", async () => {
  server = new Server();
  const half = Math.ceil(diffs.length / 2);
  const replay = server.client.replay(line);
  const asked = await server.answer("replay", { replay: { position: opening, diffs: diffs.slice(0, half) } });
  expect(asked).toMatchObject({ ...line, first: 0 });
  const next = played[half].state.position;
  const rest = await server.answer("replay", { replay: { position: next, diffs: diffs.slice(half + 1) } });
  expect(rest.first).toBe(half + 1);
  const positions = await replay;
  expect(positions.map(({ cells }) => cells)).toEqual(
    [opening, ...played.map(({ state }: any) => state.position)].map(({ cells }) => cells),
  );
});

test("the account is asked for at the end of a line", async () => {
  server = new Server();
  const account = server.client.account(line);
  const told = { marks: [{ color: "black", kind: "area", points: ["a1"] }] };
  const asked = await server.answer("replay", { replay: { position: opening, diffs: [], account: told } });
  expect(asked).toMatchObject({ ...line, first: actions.length, account: true });
  expect(await account).toEqual(told);
});

// --- sessions ---

const welcomes: string[] = [];

function withSessions(): void {
  welcomes.length = 0;
  const welcomed = ({ token }: Welcome) => void welcomes.push(token);
  server = new Server({ welcomed }, { ...WELCOME, features: ["sessions"] });
}

test("whoever signs out everywhere else has the new token before it ends the old one", async () => {
  withSessions();
  const done = server.client.endSessions();
  await server.answer("end_sessions", { token: "u" });
  expect(welcomes).toEqual(["t", "u"]);
  expect(await server.answer("end_sessions", { token: "v" })).toMatchObject({ token: "u" });
  await done;
  expect(welcomes).toEqual(["t", "u", "v"]);
});

test("a lost answer does not sign this device out", async () => {
  withSessions();
  const done = server.client.endSessions();
  await server.answer("end_sessions", { token: "u" });
  expect(server.next("end_sessions").token).toBe("u");
  vi.useFakeTimers();
  server.socket.onclose({ code: 1006 });
  await vi.advanceTimersByTimeAsync(10_000);
  vi.useRealTimers();
  server.socket.onopen();
  const hello = server.next("hello");
  expect(hello.token).toBe("u");
  server.socket.say({ type: "ok", id: hello.id, welcome: { ...WELCOME, token: "w" } });
  await server.answer("end_sessions", { token: "x" });
  await done;
  expect(welcomes.at(-1)).toBe("x");
});

test("a new code for the same name ends the other sessions, another name does not", async () => {
  withSessions();
  const account = { name: "Ada", recovery: "c", token: "u" };
  const same = server.client.register("Ada");
  await server.answer("register", { account });
  expect((await same).recovery).toBe("c");
  expect(await server.answer("end_sessions", { token: "v" })).toMatchObject({ token: "u" });
  const other = server.client.register("Bea");
  await server.answer("register", { account: { name: "Bea", recovery: "d", token: "w" } });
  await other;
  expect(server.socket.sent).toEqual([]);
  expect(welcomes).toEqual(["t", "u", "v", "w"]);
});

test("a log is read to its end", async () => {
  server = new Server();
  const log = server.client.log("kobadimu", 3);
  expect((await server.answer("log", { log: [{ seq: 3 }, { seq: 4 }] })).first).toBe(3);
  expect((await server.answer("log", { log: [] })).first).toBe(5);
  expect(await log).toHaveLength(2);
});

test("a private room has an invitation that nobody can guess", async () => {
  server = new Server();
  for (const access of ["private", "public"] as const) {
    const made = server.client.create({ game: "loose", access });
    const { invitation } = await server.answer("create", { room: "kobadimu" });
    expect(await made).toEqual({ room: "kobadimu", invitation });
    expect(invitation === null).toBe(access === "public");
    if (invitation !== null) expect(invitation).toMatch(/^[0-9a-f]{32}$/);
  }
});

test("a cancelled resignation is not sent again, and other requests are", async () => {
  server = new Server({ environment: { random: () => 0 } });
  const { client } = server;
  const room = client.join("kobadimu");
  server.next("join");
  const resigned = client.resign(room);
  for (const kept of [
    client.act(room, 3, "a1"),
    client.resign({ ...room, id: "babebibo" }),
    client.say(room, "hello"),
  ])
    kept.catch(() => {}); // it ends with the client
  server.socket.onclose({ code: 1006 });
  client.cancel(room, "resign");
  await expect(resigned).rejects.toMatchObject({ name: "AbortError" });
  client.hurry();
  await expect.poll(() => server.sockets.length).toBe(2);
  server.greet();
  expect(server.socket.sent.map(({ type }) => type)).toEqual(["join", "act", "resign", "say"]);
});

test("a preview says what points would put on the board, and of none that cannot", async () => {
  server = new Server();
  const room = server.client.join("kobadimu");
  server.next("join");
  const ask = async (legal: Message) => {
    const preview = server.client.preview(room, 3, ["a1"]);
    expect(await server.answer("legal", { legal })).toMatchObject({ turn: 3, points: ["a1"] });
    return preview;
  };
  expect(await ask({ turn: 3, total: 1, preview: [[0, 2]] })).toEqual([[0, 2]]);
  expect(await ask({ turn: 3, total: 1 })).toEqual([]);
  expect(await ask({ turn: 3, total: 0, refusal: { rule: "occupied", points: [], text: "" } })).toBeNull();
});
