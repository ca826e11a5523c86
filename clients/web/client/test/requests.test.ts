/** Every request of the protocol has its method, and sends what the schema says. */

import { readFileSync } from "node:fs";
import { afterEach, expect, test } from "vitest";
import type { Client, Room } from "../src/index.js";
import type { ClientMessage } from "../src/messages.js";
import type { Message } from "./socket.js";
import { Server } from "./server.js";
import { load } from "./vectors.js";

const schema = JSON.parse(
  readFileSync(new URL("../../../../protocol/schema/client-message.json", import.meta.url), "utf-8"),
);
const TYPES: string[] = Object.values<any>(schema.$defs).flatMap(
  ({ properties }) => properties.type?.enum ?? [],
);

const LINE = { game: "loose", actions: ["a1"] };
const quiet = (promise: Promise<unknown>) => void promise.catch(() => {});

/** What has the client send a request; null: it does so by itself. TypeScript wants all of them. */
const SENDERS: Record<ClientMessage["type"], ((client: Client, room: Room) => void) | null> = {
  hello: null, // on each connection
  board_mismatch: null, // when a board differs
  chat_history: null, // when messages are missing; `reread` asks, too
  create: (client) => quiet(client.create({ game: "loose" })),
  join: (client) => void client.join("babebibo"),
  leave: (client, room) => client.leave(room),
  act: (client, room) => quiet(client.act(room, 3, "a1")),
  resign: (client, room) => quiet(client.resign(room)),
  legal: (client, room) => quiet(client.legal(room)),
  log: (client, room) => quiet(client.log(room.id)),
  rooms: (client) => quiet(client.listRooms()),
  replay: (client) => quiet(client.replay(LINE)),
  ping: (client) => quiet(client.ping()),
  say: (client, room) => quiet(client.say(room, "hello")),
  report_message: (client, room) => quiet(client.reportMessage(room, "players", 7, "rude")),
  block: (client) => quiet(client.block("eve", "mute")),
  abort: (client, room) => quiet(client.abort(room)),
  offer: (client, room) => quiet(client.offer(room, "draw")),
  accept: (client, room) => quiet(client.accept(room, "draw", 3)),
  decline: (client, room) => quiet(client.decline(room, "draw")),
  withdraw: (client, room) => quiet(client.withdraw(room, "draw")),
  seek: (client) => quiet(client.seek({ game: "loose" }).room),
  stand_in: (client) => quiet(client.standIn().room),
  cancel_seek: (client) => quiet(client.seek({ game: "loose" }).withdraw()),
  challenge: (client) => quiet(client.challenge({ game: "loose", to: "bert" }).room),
  withdraw_challenge: (client) => quiet(client.challenge({ game: "loose", to: "bert" }).withdraw()),
  answer_challenge: (client) => quiet(client.answerChallenge("5f0c", true)),
  lobby: (client) => void client.watchLobby(() => {}),
  my_rooms: (client) => quiet(client.myRooms()),
  register: (client) => quiet(client.register("Ada")),
  delete_account: (client) => quiet(client.deleteAccount()),
  claim: (client, room) => quiet(client.claim(room, "win")),
  set_webhook: (client) => quiet(client.setWebhook("https://example.org/")),
  game: (client) => quiet(client.game("loose")),
};

let server: Server;
afterEach(() => server.client.close());

test("no request lacks a method", () => {
  server = new Server();
  expect(Object.keys(SENDERS).sort()).toEqual([...TYPES].sort());
});

const sent = Object.entries(SENDERS).filter(([, send]) => send !== null);
test.each(sent)("%s is sent as the schema says", async (type, send) => {
  server = new Server();
  const room = server.client.join("kobadimu");
  server.next("join");
  send!(server.client, room);
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
  const message = server.socket.sent.find((each) => each.type === type)!;
  const { properties, required } = Object.values<any>(schema.$defs).find(({ properties: { type: told } }) =>
    told?.enum.includes(type),
  );
  expect(Object.keys(properties)).toEqual(expect.arrayContaining(Object.keys(message)));
  expect(Object.keys(message)).toEqual(expect.arrayContaining(required));
});

// --- what the methods make of the answers ---

const { rooms } = load("fold");
const { snapshot, steps } = rooms[0];
const opening = snapshot.state.position;
const played = steps.filter(({ event }: any) => JSON.parse(event.record).kind === "acted");
const actions = played.map(({ event }: any) => JSON.parse(event.record).action);
const diffs = played.map(({ event }: any) => event.diff.position);
const line = { game: opening.game, size: opening.size, actions, rules: 1 };

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

test("an account is asked for at the end of the line", async () => {
  server = new Server();
  const account = server.client.account(line);
  const told = { marks: [{ color: "black", kind: "area", points: ["a1"] }] };
  const asked = await server.answer("replay", { replay: { position: opening, diffs: [], account: told } });
  expect(asked).toMatchObject({ ...line, first: actions.length, account: true });
  expect(await account).toEqual(told);
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

test("what a player takes back is not sent again, and all else is", async () => {
  server = new Server({ environment: { random: () => 0 } });
  const { client } = server;
  const room = client.join("kobadimu");
  server.next("join");
  const resigned = client.resign(room);
  const acted = client.act(room, 3, "a1");
  const elsewhere = client.resign({ ...room, id: "babebibo" });
  const said = client.say(room, "hello");
  server.socket.onclose({ code: 1006 });
  client.cancel(room, "resign");
  await expect(resigned).rejects.toMatchObject({ name: "AbortError" });
  quiet(acted);
  quiet(elsewhere);
  quiet(said);
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
