/** Nothing is sent that the player has not seen and confirmed, whatever they tap, and whenever the
 * server answers. */

import fc from "fast-check";
import { afterEach, expect, test } from "vitest";
import { POINTS, PHASES, Room, acts, answer, answerAll, confirming, context } from "./tables";
import { BESIDE } from "../src/board/beside";
import { wordsOf } from "../src/board/draft";
import { Table } from "../src/room/table";

/** For another run of the same: SEED=… npm test. */
const SEED = process.env.SEED ? { seed: Number(process.env.SEED) } : {};

const sit = async (name: string): Promise<[Table, Room]> => {
  const room = new Room(PHASES.find((phase) => phase.name === name)!);
  const table = new Table(room as any, null, context);
  await answerAll();
  return [table, room];
};
const tap = async (table: Table, ...points: string[]) => {
  for (const point of points) {
    void table.choose(point, table.shown.value);
    await answerAll();
  }
};

afterEach(() => void (confirming.value = "yes"));

test.each([
  ["loose play", ["a1", "b2"], "b2"],
  ["veletas set-up", ["c3", "b2", "e4", "d5"], "b2,c3/d5"],
  ["veletas play", ["b2", "d2", "a1", "e5"], "b2-d2/e5"],
  ["taugo set-up", ["c3", "d4"], "d4"],
  ["taugo play", ["b2", "d2", "b4"], "b2-b4"],
])("in %s the pending piece moves, and a tap on it confirms", async (phase, points, action) => {
  const [table] = await sit(phase);
  await tap(table, ...points);
  expect(table.action.value).toBe(action);
  expect(acts).toEqual([]);
  await tap(table, points.at(-1)!);
  expect(acts).toEqual([{ turn: 3, action }]);
});

test("the reason why a point may not be picked is asked for, and nothing is sent", async () => {
  const [table] = await sit("loose play");
  await tap(table, "a1", "e5");
  expect(table.sent.value).toMatchObject({ kind: "refused", error: { answer: { points: ["e5"] } } });
  expect(table.action.value).toBe("a1");
  expect(acts).toEqual([]);
});

test("where the action is a number, a tap is told to set it beside the board, and the server is not asked", async () => {
  const template = [{ what: "width", first: 0, last: 24, step: 2 }];
  const room = new Room({ name: "width", game: "toy", actions: [], template });
  const table = new Table(room as any, null, context);
  await answerAll();
  void table.choose("c3", table.shown.value);
  await answer(); // at most its own
  expect(table.sent.value).toMatchObject({ kind: "refused", error: { code: BESIDE, message: "width" } });
  expect(table.action.value).toBeNull();
});

test("a reason that comes late is not given", async () => {
  const [table, room] = await sit("loose play");
  void table.choose("e5", table.shown.value);
  room.goOn();
  await answerAll();
  expect(table.sent.value).toBeNull();
});

test("a tap for another turn, or on what is not shown any more, sends nothing", async () => {
  for (const setting of ["yes", "no"] as const) {
    const [table, room] = await sit("loose play");
    await tap(table, "a1");
    const before = table.shown.value;
    confirming.value = setting;
    room.goOn();
    await answerAll();
    void table.choose("a1", before);
    void table.send("a1", before);
    void table.say("pass", before);
    await answerAll();
    expect(acts).toEqual([]);
    expect(table.action.value).toBeNull();
  }
});

test("nothing is sent while a past turn is shown", async () => {
  const [table] = await sit("loose play");
  await tap(table, "a1");
  table.viewed.value = 2;
  void table.send("a1", table.shown.value);
  await tap(table, "a1");
  expect(acts).toEqual([]);
  table.viewed.value = null;
  await tap(table, "a1");
  expect(acts).toEqual([{ turn: 3, action: "a1" }]);
});

test("without confirmation the tap that completes an action sends it", async () => {
  confirming.value = "no";
  const [table] = await sit("veletas play");
  await tap(table, "d4", "a1", "a1"); // no way leads from d4 to a1: that is shot at instead
  expect([table.action.value, acts]).toEqual([null, []]);
  await tap(table, "b2", "d2", "e5");
  expect(acts).toEqual([{ turn: 3, action: "b2-d2/e5" }]);
});

test("a point that is complete by itself is sent once the server says so", async () => {
  confirming.value = "no";
  const [table] = await sit("veletas play");
  await tap(table, "c3");
  expect(acts).toEqual([{ turn: 3, action: "c3" }]);
});

test("a tap that comes before the server says so changes that", async () => {
  confirming.value = "no";
  const [table] = await sit("veletas play");
  for (const point of ["c3", "a1"]) void table.choose(point, table.shown.value);
  await answerAll();
  expect([table.action.value, acts]).toEqual(["a1", []]);
});

test("taps that are faster than the answers put together, and do not send", async () => {
  confirming.value = "no";
  const [table] = await sit("veletas play");
  for (const point of ["b2", "d2", "e5"]) void table.choose(point, table.shown.value);
  await answerAll();
  expect([table.action.value, acts]).toEqual(["b2-d2/e5", []]);
  void table.send("b2-d2/e5", table.shown.value);
  expect(acts).toEqual([{ turn: 3, action: "b2-d2/e5" }]);
});

test("a shooter that comes last completes the set-up as it is shown", async () => {
  confirming.value = "no";
  const [table] = await sit("veletas set-up");
  const { value: seen } = table.shown;
  for (const point of ["b2", "d4", "c3"]) void table.choose(point, seen); // too fast to be sent
  await answerAll();
  expect([table.action.value, acts]).toEqual(["b2,d4/c3", []]);
  await tap(table, "d4"); // is taken back; the stone stays at c3
  expect([table.action.value, acts]).toEqual([null, []]);
  await tap(table, "b4");
  expect(acts).toEqual([{ turn: 3, action: "b2,b4/c3" }]);
});

test("a double click is one tap, and nothing is sent twice", async () => {
  const [table] = await sit("loose play");
  await tap(table, "a1");
  void table.choose("a1", table.shown.value, true);
  await answerAll();
  expect([table.action.value, acts]).toEqual(["a1", []]);
  const { value: shown } = table.shown;
  void table.send("a1", shown);
  void table.send("a1", shown);
  expect(acts).toHaveLength(1);
});

test("a word is confirmed, too", async () => {
  const [table] = await sit("taugo play");
  void table.say("pass", table.shown.value);
  expect([table.action.value, acts]).toEqual(["pass", []]);
  void table.send("pass", table.shown.value);
  expect(acts).toEqual([{ turn: 3, action: "pass" }]);
});

test.each(["black", "komi:4"])("%s is confirmed like a pass, unless nothing is", async (word) => {
  const [table] = await sit("loose play");
  void table.say(word, table.shown.value);
  expect([table.action.value, acts]).toEqual([word, []]);
  table.undo();
  expect(table.action.value).toBeNull();
  confirming.value = "no";
  void table.say(word, table.shown.value);
  expect(acts).toEqual([{ turn: 3, action: word }]);
});

// --- at random ---

/** What is on the screen: told by the table, and held against what it sends. */
const screenOf = (table: Table) => ({
  shown: table.shown.value,
  turn: table.state.value!.turn,
  action: table.action.value,
  last: table.draft.value.picked.at(-1),
  picked: table.draft.value.picked,
  targets: table.targets.value,
  here: table.viewed.value === null,
  confirms: confirming.value === "yes",
});
type Screen = ReturnType<typeof screenOf>;

/** The points of an action, in no order. */
const pointsIn = (action: string) => (action.match(/[a-z]\d/g) ?? []).sort().join(" ");

/** Whether a gesture confirmed an action. */
type Confirms = (action: string, turn: number) => boolean;

const byPress =
  ({ here, turn, action }: Screen): Confirms =>
  (sent, at) =>
    here && at === turn && sent === action;

const byTap =
  (screen: Screen, point: string, repeated: boolean): Confirms =>
  (sent, at) => {
    const { here, turn, confirms, last, picked, targets } = screen;
    if (!here || at !== turn || repeated) return false;
    if (confirms) return last === point && sent === screen.action;
    return targets.has(point) && pointsIn(sent) === [...picked, point].sort().join(" ");
  };

/** Mostly 0. */
const few = (max: number) =>
  fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(max) });

/** A gesture; `old` of a finger that came down so many screens ago. */
const gesture = fc.oneof(
  { weight: 8, arbitrary: fc.record({ tap: fc.nat(), old: few(2), repeated: few(1).map(Boolean) }) },
  { weight: 4, arbitrary: fc.record({ press: few(2) }) },
  { weight: 1, arbitrary: fc.record({ word: few(2) }) },
  { weight: 8, arbitrary: fc.constant("answer") },
  { weight: 2, arbitrary: fc.constantFrom("undo", "turn", "look", "look", "setting") },
);
type Gesture = typeof gesture extends fc.Arbitrary<infer T> ? T : never;

/** Points near to what can be done are tapped more often than others. */
function pointOf({ targets, picked }: Screen, number: number): string {
  const choice = [...POINTS.slice(0, 3), ...picked, ...picked, ...targets, ...targets];
  return choice[number % choice.length]!;
}

async function make(table: Table, room: Room, screens: Screen[], what: Gesture): Promise<Confirms> {
  const screen = (old: number) => screens.at(-1 - Math.min(old, screens.length - 1))!;
  const no: Confirms = () => false;
  if (typeof what === "object") {
    if ("tap" in what) {
      const seen = screen(what.old);
      const point = pointOf(seen, what.tap);
      void table.choose(point, seen.shown, what.repeated);
      return byTap(seen, point, what.repeated);
    }
    const seen = screen("press" in what ? what.press : what.word);
    if ("press" in what) {
      if (seen.action) void table.send(seen.action, seen.shown);
      return byPress(seen);
    }
    const word = wordsOf(table.answers.value.get(""))[0];
    if (word) void table.say(word, seen.shown);
    return (sent, at) => seen.here && at === seen.turn && sent === word && !seen.confirms;
  }
  if (what === "answer") await answer();
  else if (what === "undo") table.undo();
  else if (what === "turn") room.goOn();
  else if (what === "setting") confirming.value = confirming.value === "yes" ? "no" : "yes";
  else table.viewed.value = table.viewed.value === null ? 1 : null;
  return no;
}

test.each(PHASES.map(({ name }) => name))("in %s only what was confirmed is sent", async (name) => {
  const run = fc.asyncProperty(fc.array(gesture, { maxLength: 40 }), async (gestures) => {
    confirming.value = "yes";
    const [table, room] = await sit(name);
    const screens = [screenOf(table)];
    const confirmed: Confirms[] = [];
    for (const what of gestures) {
      confirmed.push(await make(table, room, screens, what));
      screens.push(screenOf(table));
    }
    await answerAll();
    const turns = acts.map(({ turn }) => turn);
    expect(new Set(turns).size).toBe(turns.length);
    for (const { turn, action } of acts)
      expect(
        confirmed.some((confirms) => confirms(action, turn)),
        `${action} at ${turn}`,
      ).toBe(true);
  });
  await fc.assert(run, { numRuns: 300, ...SEED });
});

test("compensated lag is shown until the next event", async () => {
  const [table, room] = await sit("loose play");
  const acted = { kind: "acted", seat: 1, action: "a1", lag: 310 };
  room.goOn({ ...acted, given: 290 });
  expect(table.lag.value).toEqual({ seat: 1, given: 290 });
  room.goOn({ ...acted, given: 49 });
  expect(table.lag.value).toBeNull();
  room.goOn({ ...acted, given: 50 });
  expect(table.lag.value).toEqual({ seat: 1, given: 50 });
  room.goOn({ kind: "taken_back", seat: 1 });
  expect(table.lag.value).toBeNull();
  room.goOn({ ...acted, given: 290 });
  room.goOn(); // a snapshot, which does not tell
  expect(table.lag.value).toBeNull();
});
