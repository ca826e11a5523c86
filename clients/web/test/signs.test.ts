/** What waits for you out of sight. */

import { expect, test } from "vitest";
import { isAbove, signsOf, wayTo, type Waiting, type Way } from "../src/room/signs";

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

test("a sign stands at the edge to which it leads, and never over the field of the chat", () => {
  const [above, below] = [
    { top: -300, bottom: -150 },
    { top: 700, bottom: 850 }, // a part of it is to be seen
  ];
  expect(wayTo(above, null, 740)).toBe("up");
  expect(wayTo(below, null, 740)).toBe("down");
  const [shown, ...hidden] = [600, 1_500, -500].map((top) => ({ top, bottom: top + 40 }));
  expect(wayTo(above, shown!, 740)).toBe("up");
  expect(wayTo(below, shown!, 740)).toBe("over");
  for (const field of hidden) expect(wayTo(below, field, 740)).toBe("down");
  expect(["up", "down", "over"].map((way) => isAbove(way as Way))).toEqual([true, false, true]);
});

test("who watches, or plays both sides, has nothing to answer", () => {
  for (const seats of [[], [0, 1]] as const)
    expect(signsOf(waiting({ seats, ...offers("takeback", null) }))).toEqual([]);
});
