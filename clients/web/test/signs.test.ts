/** What waits for you out of sight. */

import { expect, test } from "vitest";
import { isAbove, signsOf, type Waiting } from "../src/room/signs";

const STATE: Waiting["state"] = { epoch: 1, turn: 4, seq: 9, offers: [null, null] };
const waiting = (fields: Partial<Waiting>): Waiting => ({
  state: STATE,
  seats: [0],
  acting: null,
  news: [],
  unread: 0,
  ...fields,
});
const offers = (...offers: NonNullable<Waiting["state"]["offers"]>) => ({ state: { ...STATE, offers } });
const kinds = (of: Waiting) => signsOf(of).map(({ kind, lasts }) => [kind, lasts]);

test("nothing waits, and there is no sign", () => {
  expect(signsOf(waiting({}))).toEqual([]);
});

test("unread messages and your turn have signs until you come to them", () => {
  const signs = signsOf(waiting({ unread: 2, acting: 0 }));
  expect(signs.map(({ kind, at }) => [kind, at])).toEqual([
    ["chat", ".chat .title"],
    ["turn", ".board-box"],
  ]);
  expect(signs[0]).toMatchObject({ unread: 2, lasts: true });
  const next = signsOf(waiting({ acting: 0, state: { ...STATE, turn: 6 } }));
  expect(next[0]!.key).not.toBe(signs[1]!.key); // each turn is news
});

test("an offer that you can answer keeps its sign; your own and what became of it are only told", () => {
  expect(kinds(waiting(offers(null, "takeback")))).toEqual([["offer", true]]);
  expect(kinds(waiting(offers("pause", null)))).toEqual([["offer", false]]);
  expect(kinds(waiting(offers("takeback", "takeback")))).toEqual([
    ["offer", false],
    ["offer", true],
  ]);
  const declined = { how: "declined", what: "takeback", by: 0 } as const;
  const offered = { how: "offered", what: "takeback", by: 0 } as const;
  expect(kinds(waiting({ news: [declined] }))).toEqual([["news", false]]);
  expect(kinds(waiting({ news: [offered] }))).toEqual([]);
});

test("what waits at the board is above, and never over the field of the chat", () => {
  const all = signsOf(waiting({ unread: 1, acting: 0, ...offers("pause", "takeback") }));
  expect(all.filter(isAbove).map(({ kind }) => kind)).toEqual(["turn", "offer"]);
  expect(all.filter((sign) => !isAbove(sign)).map(({ kind }) => kind)).toEqual(["chat", "offer"]);
});

test("who watches, or plays both sides, has nothing to answer", () => {
  for (const seats of [[], [0, 1]] as const)
    expect(signsOf(waiting({ seats, ...offers("takeback", null) }))).toEqual([]);
});
