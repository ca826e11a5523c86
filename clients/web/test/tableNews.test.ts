/** A table beside its taps: what comes, what players ask of each other, and looking back. */

import { Refused, type Client, type RoomState, type Seat } from "@pierule/client";
import { signal } from "@preact/signals";
import { expect, test, vi } from "vitest";
import { Table } from "../src/room/table";
import { Room, PHASES } from "./tables";

const refusal = (code: string) => new Refused({ type: "error", id: 1, code, text: "no" });
const legal = { turn: 3, total: 1, actions: ["a1"] };
const remember = vi.fn();

/** A table in a running room, whose client does what the test says. */
function sit(fields: Partial<Record<keyof Client, unknown>> = {}, seats: Seat[] = [0]) {
  remember.mockClear();
  const room = Object.assign(new Room(PHASES[0]!), { seats });
  const client = {
    welcome: { features: [] },
    status: { kind: "online" },
    legal: async () => legal,
    ...fields,
  } as unknown as Client;
  const table = new Table(room as any, "secret", {
    client,
    confirming: signal("yes"),
    remember,
    gameOf: () => null,
  });
  return { room, table };
}
const state = (table: Table, fields: object) => ({ ...table.state.value!, ...fields }) as RoomState;

test("the state of a game in which you sit is remembered, and of no other", () => {
  const { room, table } = sit();
  expect(remember.mock.calls.at(-1)).toEqual([room.state, [0], "secret"]);
  room.goOn();
  expect(remember.mock.calls.at(-1)![0].turn).toBe(4);
  table.close();
  sit({}, []);
  expect(remember).not.toHaveBeenCalled();
});

test("the latest action is fresh if an event told it, and not if a snapshot did", () => {
  const { room, table } = sit();
  room.goOn({ kind: "acted", seat: 0, action: "a1" });
  expect(table.fresh.value).toEqual({ ply: 4, action: "a1" });
  room.goOn();
  expect(table.fresh.value).toBeNull();
});

test("compensated lag is shown from 50 ms on", () => {
  const { room, table } = sit();
  room.goOn({ kind: "acted", seat: 1, action: "a1", given: 50 });
  expect(table.lag.value).toEqual({ seat: 1, given: 50 });
  room.goOn({ kind: "acted", seat: 1, action: "a1", given: 49 });
  expect(table.lag.value).toBeNull();
});

test("an action that was sent is kept as soon as the room has it, before the answer comes", async () => {
  let answer = () => {};
  const act = () => new Promise<void>((resolve) => (answer = resolve));
  const { room, table } = sit({ act });
  await Promise.resolve();
  await table.say("a1", table.shown.value); // picked
  const sent = table.send("a1", table.shown.value);
  expect(table.sent.value).toMatchObject({ kind: "sending" });
  room.goOn({ kind: "acted", seat: 0, action: "a1" });
  expect(table.sent.value).toMatchObject({ kind: "kept" });
  answer();
  expect(await sent).toBeNull();
});

test("a refused action is told, a stale one is not", async () => {
  for (const [code, told] of [
    ["illegal", true],
    ["stale", false],
  ] as const) {
    const { table } = sit({ act: () => Promise.reject(refusal(code)) });
    await Promise.resolve();
    expect((await table.send("a1", table.shown.value))?.code).toBe(told ? code : undefined);
    expect(table.sent.value?.kind).toBe(told ? "refused" : undefined);
  }
});

test("a game that ends tells why through the room", () => {
  const { room, table } = sit();
  const gone = new Error("gone");
  expect(table.isGone.value).toBe(false);
  room.tell({ kind: "ended", error: gone });
  expect(table.error.value).toBe(gone);
  expect(table.isGone.value).toBe(true);
  expect(table.acting.value).toBeNull();
});

// --- looking back ---

test("a past position that the server refuses is not looked at, and the reason is told", async () => {
  const replay = vi.fn().mockRejectedValue(refusal("no_game"));
  const { room, table } = sit({ replay });
  await table.look(1);
  expect([table.viewed.value, table.unseen.value?.code]).toEqual([null, "no_game"]);
  await table.look(room.state.ply);
  expect(table.unseen.value).toBeNull();
});

test("a ply in the past is looked at once its positions are known", async () => {
  const replay = vi.fn(async (_: unknown, first: number) =>
    [0, 1, 2, 3].slice(first).map((ply) => ({ phase: `ply ${ply}` })),
  );
  const { table } = sit({ replay });
  await table.look(1);
  expect(table.viewed.value).toBe(1);
  expect(table.position.value).toMatchObject({ phase: "ply 1" });
  expect(table.before.value).toMatchObject({ phase: "ply 0" });
  await table.look(-5);
  expect(table.viewed.value).toBe(0);
  expect(replay).toHaveBeenCalledTimes(1);
  await table.look(99);
  expect(table.viewed.value).toBeNull();
});

test("a shown past position goes when it is taken back", async () => {
  const { room, table } = sit();
  table.viewed.value = 2;
  room.become(state(table, { turn: 4, ply: 2, actions: ["a1", "a1"] }), { kind: "taken_back", seat: 1 });
  expect(table.viewed.value).toBe(2);
  room.become(state(table, { turn: 5, ply: 1, actions: ["a1"] }), { kind: "taken_back", seat: 1 });
  expect(table.viewed.value).toBeNull();
});

// --- between players ---

test("a player of both sides accepts their own offer at once", async () => {
  const [offer, accept] = [vi.fn(async () => {}), vi.fn(async () => {})];
  const { room, table } = sit({ offer, accept }, [0, 1]);
  await table.offer("draw", 1);
  expect(offer.mock.calls).toEqual([[room, "draw", 1]]);
  expect(accept.mock.calls).toEqual([[room, "draw", 3, 0]]);
  const other = sit({ offer, accept }, [1]);
  await other.table.offer("draw", 1);
  expect(accept).toHaveBeenCalledTimes(1);
});

test("a refused request is told until the next one, or until something happens", async () => {
  const answers = [refusal("not_now"), refusal("not_now"), null];
  const answer = async () => {
    const error = answers.shift();
    if (error) throw error;
  };
  const { room, table } = sit({ resign: answer, decline: answer, withdraw: answer });
  expect(await table.resign(null)).toBe(false);
  expect(table.refused.value?.code).toBe("not_now");
  room.goOn({ kind: "acted", seat: 1, action: "a1" });
  expect(table.refused.value).toBeNull();
  await table.decline("draw", 0);
  expect(table.refused.value?.code).toBe("not_now");
  expect(await table.withdraw("draw", 0)).toBe(true);
  expect(table.refused.value).toBeNull();
});

test("only one request waits for a connection, and it can be cancelled", async () => {
  const abort = new DOMException("", "AbortError");
  let giveUp = () => {};
  const resign = vi.fn(() => new Promise<void>((_, reject) => (giveUp = () => reject(abort))));
  const offer = vi.fn(async () => {});
  const { table } = sit({ status: { kind: "waiting" }, resign, offer, cancel: () => giveUp() });
  const asked = table.resign(0);
  expect(table.asked.value).toEqual([{ kind: "resign" }]);
  await table.resign(0);
  await table.offer("draw", 0);
  expect([resign.mock.calls.length, offer.mock.calls.length]).toEqual([1, 0]);
  table.cancel("resign");
  expect(await asked).toBe(false);
  expect([table.asked.value, table.refused.value]).toEqual([[], null]);
  await table.offer("draw", 0);
  expect(offer).toHaveBeenCalledTimes(1);
});

test("an action that waits for a connection can be cancelled", async () => {
  let giveUp = () => {};
  const act = () => new Promise<void>((_, reject) => (giveUp = () => reject(new Error("cancelled"))));
  const { table } = sit({ act, cancel: () => giveUp() });
  await Promise.resolve();
  const sent = table.send("a1", table.shown.value);
  expect(table.sent.value).toMatchObject({ kind: "sending" });
  table.cancel("act");
  expect(await sent).toBeNull();
  expect(table.sent.value).toBeNull();
});

test("a claim and an abort name what they are about", async () => {
  const [claim, abort] = [vi.fn(async () => {}), vi.fn(async () => {})];
  const { room, table } = sit({ claim, abort });
  await table.claim("win", 0);
  await table.abort(0);
  expect(claim.mock.calls).toEqual([[room, "win", 0]]);
  expect(abort.mock.calls).toEqual([[room, 0]]);
});

test("an offer that comes is news, and so is the room of a rematch", () => {
  const { room, table } = sit();
  room.become(state(table, { offers: [null, "draw"] }), { kind: "offered", seat: 1, what: "draw" });
  expect(table.offers.value).toEqual([{ how: "offered", what: "draw", by: 1 }]);
  room.become(state(table, { offers: [null, null] }), { kind: "declined", seat: 0, what: "draw" });
  expect(table.offers.value).toEqual([{ how: "declined", what: "draw", by: 1 }]);
  expect(table.next.value).toBeNull();
  room.become(state(table, { rematch: "babebibo" }), { kind: "rematched", room: "babebibo" });
  expect(table.next.value).toBe("babebibo");
});

test("sitting down takes the free seat, and a refusal is reported", async () => {
  const join = vi.fn();
  const { room, table } = sit({ join }, []);
  const sat = table.sit();
  expect(join.mock.calls).toEqual([[room.id, "any"]]);
  room.tell({ kind: "refused", error: refusal("seat_taken") });
  expect((await sat)?.code).toBe("seat_taken");
  const again = table.sit();
  room.tell({ kind: "seats", seats: [1] });
  expect(await again).toBeNull();
  expect(table.seats.value).toEqual([1]);
});
