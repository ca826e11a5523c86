import { expect, test } from "vitest";
import type { RoomState, Seat } from "@pierule/client";
import {
  NONE_MADE,
  isBehind,
  madeAfter,
  mayAbort,
  newsOf,
  offerable,
  spentOf,
  takenBack,
} from "../src/room/offers";
import { en } from "../src/texts/en";

const someone = { user: "u", name: "n" };
const fischer = { kind: "fischer", main: 60 };
const clock = { hands: [], running: 0, started: 0, deadline: 0, paused: null };
const room = (fields: object) =>
  ({
    status: "running",
    seats: [someone, someone],
    turn: 5,
    ply: 5,
    control: fischer,
    clock,
    ...fields,
  }) as unknown as RoomState;

test("the offers that can be made follow from the state", () => {
  expect(offerable(room({}), 0, false)).toEqual(["takeback", "pause"]);
  expect(offerable(room({ control: null, clock: null }), 0, true)).toEqual(["takeback", "draw"]);
  expect(offerable(room({ control: { kind: "correspondence", days: 1 } }), 1, false)).toEqual(["takeback"]);
  expect(offerable(room({ ply: 1 }), 1, false)).toEqual(["pause"]);
  expect(offerable(room({ ply: 1 }), 0, false)).toEqual(["takeback", "pause"]);
  expect(offerable(room({ clock: { ...clock, paused: 9 } }), 0, true)).toEqual(["resume"]);
  expect(offerable(room({ status: "over" }), 1, true)).toEqual(["rematch"]);
  expect(offerable(room({ status: "over", rematch: "bada" }), 1, true)).toEqual([]);
  expect(offerable(room({ status: "open", seats: [someone, null] }), 0, true)).toEqual([]);
});

test("a player has one offer at a time, and the opponent's offer can only be accepted", () => {
  expect(offerable(room({ offers: ["draw", null] }), 0, true)).toEqual([]);
  expect(offerable(room({ offers: ["draw", null] }), 1, true)).toEqual(["takeback", "pause"]);
  expect(offerable(room({ offers: ["takeback", null] }), 1, false)).toEqual(["takeback", "pause"]);
});

test("a takeback takes the asker's last action, and all after it", () => {
  // Of Loose: seat 0 cuts, seat 1 chooses black and begins; then they take turns.
  const acts = [0, 1, 1, 0, 1, 0] as const;
  const back = (ply: number, by: Seat) => takenBack(room({ ply, position: { to_act: acts[ply] } }), by);
  for (let ply = 1; ply < acts.length; ply++)
    for (const by of [0, 1] as const) {
      const last = acts.lastIndexOf(by, ply - 1);
      if (last >= 0) expect([ply, by, back(ply, by)]).toEqual([ply, by, ply - last]);
    }
  const { takeback } = en.agreements.offered;
  expect(takeback("Ada", 1, true)).toBe("Ada asks to take their last action back.");
  expect(takeback("Ada", 2, true)).toBe("Ada asks to take back their last action and yours (2 actions).");
  expect(takeback("Ada", 3, false)).toMatch(/what was played after it \(3 actions\)/);
});

test("a spectator of a delayed game that goes on is behind", () => {
  expect(isBehind(room({ delay: 5 }), [])).toBe(true);
  expect(isBehind(room({ delay: 5 }), [1])).toBe(false);
  expect(isBehind(room({ delay: 0 }), [])).toBe(false);
  expect(isBehind(room({ delay: 5, status: "over" }), [])).toBe(false);
});

test("a player may abort the game until their first action", () => {
  expect([0, 1].map((seat) => mayAbort(room({ turn: 0 }), seat as 0 | 1))).toEqual([true, true]);
  expect([0, 1].map((seat) => mayAbort(room({ turn: 1 }), seat as 0 | 1))).toEqual([false, true]);
  expect(mayAbort(room({ turn: 2 }), 1)).toBe(false);
  expect(mayAbort(room({ turn: 0, status: "over" }), 0)).toBe(false);
});

test("each end of an offer has a name", () => {
  const [none, one] = [room({ offers: [null, null] }), room({ offers: [null, "draw"] })];
  const told = (kind: string | null) => newsOf(one, none, kind).map(({ how, by }) => [how, by]);
  expect(newsOf(none, one, "offered")).toEqual([{ how: "offered", what: "draw", by: 1 }]);
  expect(newsOf(one, one, "seated")).toEqual([]);
  expect(told("declined")).toEqual([["declined", 1]]);
  expect(told("withdrawn")).toEqual([["withdrawn", 1]]);
  expect(told("drawn")).toEqual([["agreed", 1]]);
  expect(told("acted")).toEqual([["lapsed", 1]]);
  expect(told("paused")).toEqual([["lapsed", 1]]);
  expect(told(null)).toEqual([["lapsed", 1]]);
});

test("what was offered cannot be offered again before the next action", () => {
  const none = room({ offers: [null, null] });
  const stands = madeAfter(NONE_MADE, room({ offers: ["draw", null] }), []);
  expect(stands.offers).toEqual(["0 draw"]);
  const declined = madeAfter(stands, none, [{ how: "declined", what: "draw", by: 0 }]);
  expect(declined.offers).toEqual(["0 draw"]);
  const both = madeAfter(declined, none, [{ how: "withdrawn", what: "pause", by: 1 }]);
  expect(both.offers).toEqual(["0 draw", "1 pause"]);
  const lapsed = [{ how: "lapsed", what: "draw", by: 0 }] as const;
  expect(madeAfter(both, room({ turn: 6, offers: [null, null] }), lapsed).offers).toEqual([]);
});

test("what was declined is spent until the next action, and only for its seat", () => {
  const standing = room({ offers: ["takeback", null] });
  const made = madeAfter(
    madeAfter(NONE_MADE, standing, []),
    room({}),
    newsOf(standing, room({}), "declined"),
  );
  expect(spentOf(made, 0, ["takeback", "pause"])).toEqual(["takeback"]);
  expect(spentOf(made, 1, ["takeback", "pause"])).toEqual([]);
  expect(spentOf(madeAfter(made, room({ turn: 6 }), []), 0, ["takeback"])).toEqual([]);
});
