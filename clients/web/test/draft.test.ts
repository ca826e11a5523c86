import { expect, test } from "vitest";
import type { Legal } from "@pierule/client";
import {
  EMPTY_DRAFT,
  actionOf,
  partOf,
  pick,
  tap,
  targetsOf,
  unpick,
  wordsOf,
  type Answers,
  type Draft,
} from "../src/board/draft";

const legal = (fields: Partial<Legal>): Legal => ({ turn: 3, total: 1, ...fields });
const answers = (given: Record<string, Partial<Legal>>, segments = false): Answers => ({
  legal: new Map(Object.entries(given).map(([prefix, fields]) => [prefix, legal(fields)])),
  segments,
});
const picks = (points: string[], given: Answers): Draft =>
  points.reduce((draft, point) => pick(draft, point, given), EMPTY_DRAFT);

const LOOSE = answers({ "": { actions: ["a1", "b2", "pass"] } });
const TAUGO = answers({ "": { actions: ["c3", "c3-c5", "c3-e3", "d9", "d9-f9"] } }, true);
const VELETAS = answers({
  "": { next: ["c4", "f5", "g1"] },
  c4: { next: ["-c8", "-d5"] },
  "c4-c8": { actions: ["c4-c8/f5", "c4-c8/c4"] },
  "c4-d5": { actions: ["c4-d5/g1"] },
  f5: { actions: ["f5"] },
  g1: { actions: ["g1"] },
});
const SET_UP = answers({
  "": {
    template: [
      { what: "shooter", count: 2, points: ["b10", "b9", "c3"] },
      { what: "stone", count: 1, points: ["a1", "b9", "b10"] },
    ],
  },
});

test("a point can be an action, and pass is a word", () => {
  expect([...targetsOf(EMPTY_DRAFT, LOOSE)]).toEqual(["a1", "b2"]);
  expect(actionOf(picks(["b2"], LOOSE), LOOSE)).toBe("b2");
  expect(wordsOf(LOOSE.legal.get(""))).toEqual(["pass"]);
  expect(actionOf({ ...EMPTY_DRAFT, word: "pass" }, LOOSE)).toBe("pass");
  expect(unpick({ ...EMPTY_DRAFT, word: "pass" })).toEqual(EMPTY_DRAFT);
});

test("a segment begins at either end, and its end may stand alone", () => {
  expect(targetsOf(EMPTY_DRAFT, TAUGO)).toEqual(new Set(["c3", "c5", "e3", "d9", "f9"]));
  const forth = picks(["c3"], TAUGO);
  expect(actionOf(forth, TAUGO)).toBe("c3");
  expect(targetsOf(forth, TAUGO)).toEqual(new Set(["c5", "e3"]));
  expect(actionOf(picks(["c3", "e3"], TAUGO), TAUGO)).toBe("c3-e3");
  const back = picks(["c5"], TAUGO);
  expect(actionOf(back, TAUGO)).toBeNull();
  expect(actionOf(picks(["c5", "c3"], TAUGO), TAUGO)).toBe("c3-c5");
});

test("without segments two points are picked in order", () => {
  const moves = answers({ "": { actions: ["a1-a3", "a3-b3"] } });
  expect(targetsOf(EMPTY_DRAFT, moves)).toEqual(new Set(["a1", "a3"]));
  expect(actionOf(picks(["a3", "a1"], moves), moves)).toBeNull();
  expect(actionOf(picks(["a1", "a3"], moves), moves)).toBe("a1-a3");
});

test("actions too many for one answer are asked for piece by piece", () => {
  const moved = picks(["c4", "c8"], VELETAS);
  expect(moved.prefix).toBe("c4-c8");
  expect(targetsOf(moved, VELETAS)).toEqual(new Set(["f5", "c4"]));
  const shot = pick(moved, "c4", VELETAS);
  expect(actionOf(shot, VELETAS)).toBe("c4-c8/c4");
  expect(unpick(shot)).toEqual(moved);
  expect(unpick(moved)).toEqual(picks(["c4"], VELETAS));
  expect(actionOf(picks(["f5"], VELETAS), VELETAS)).toBe("f5");
  expect(targetsOf(picks(["c4"], VELETAS), answers({ "": { next: ["c4"] } }))).toEqual(new Set());
});

test("a set-up is spelled by its parts, shooters in order", () => {
  const two = picks(["b10", "b9"], SET_UP);
  expect(actionOf(two, SET_UP)).toBeNull();
  expect(partOf(two, SET_UP.legal.get("")!.template!)?.what).toBe("stone");
  expect(targetsOf(two, SET_UP)).toEqual(new Set(["a1"]));
  expect(actionOf(picks(["b10", "b9", "a1"], SET_UP), SET_UP)).toBe("b9,b10/a1");
});

/** What a tap leads to: the points that are picked then, or what is asked, or that it confirms. */
function tapped(picked: string[], point: string, given: Answers, confirms = true): unknown {
  const step = tap(picks(picked, given), point, given, confirms);
  if (step.kind === "ask") return { ask: step.points };
  return step.kind === "confirm" ? "confirm" : { [step.kind]: step.draft.picked.join(" ") };
}

const GAMES: [string, Answers, { begun: string[]; whole: string[]; elsewhere: string; moved: string }][] = [
  ["Loose", LOOSE, { begun: [], whole: ["a1"], elsewhere: "b2", moved: "b2" }],
  ["Taugo", TAUGO, { begun: ["c5"], whole: ["c3", "c5"], elsewhere: "e3", moved: "c3 e3" }],
  ["Veletas", VELETAS, { begun: ["c4"], whole: ["c4", "c8", "c4"], elsewhere: "f5", moved: "c4 c8 f5" }],
  ["a set-up", SET_UP, { begun: ["c3"], whole: ["c3", "b9", "a1"], elsewhere: "b10", moved: "c3 b9 b10" }],
];

test.each(GAMES)(
  "a tap means in %s what it means everywhere",
  (_, given, { begun, whole, elsewhere, moved }) => {
    const last = whole.at(-1)!;
    expect(tapped(whole.slice(0, -1), last, given)).toEqual({ picked: whole.join(" ") });
    expect(tapped(whole, last, given)).toBe("confirm");
    expect(tapped(whole, last, given, false)).toEqual({ changed: whole.slice(0, -1).join(" ") });
    if (begun.length) expect(tapped(begun, begun.at(-1)!, given)).toEqual({ changed: "" });
    expect(tapped(whole, elsewhere, given)).toEqual({ changed: moved });
    expect(tapped([], "z9", given)).toEqual({ ask: ["z9"] });
    expect(tapped(whole, "z9", given)).toEqual({ ask: [...whole.slice(0, -1), "z9"] });
    const pass = { ...EMPTY_DRAFT, word: "pass" };
    expect(tap(pass, whole[0]!, given, true)).toEqual(tap(EMPTY_DRAFT, whole[0]!, given, true));
  },
);

test("if the last point cannot move, the one before it does", () => {
  expect(tapped(["c4", "c8", "f5"], "d5", VELETAS)).toEqual({ changed: "c4 d5" });
  expect(tapped(["c4", "c8"], "g1", VELETAS)).toEqual({ changed: "g1" });
  expect(tap(picks(["c4", "c8"], VELETAS), "d5", VELETAS, true)).toMatchObject({
    draft: { prefix: "c4-d5" },
  });
  expect(tapped(["c3"], "d9", TAUGO)).toEqual({ changed: "d9" });
  expect(tapped(["c4"], "z9", VELETAS)).toEqual({ ask: ["c4", "z9"] }); // what is missing comes next
});

test("an earlier point is taken back: alone in a set-up, else with all after it", () => {
  expect(tapped(["c4", "c8", "f5"], "c8", VELETAS)).toEqual({ changed: "c4" });
  expect(tapped(["c3", "e3"], "c3", TAUGO)).toEqual({ changed: "" });
  const step = tap(picks(["b10", "c3", "a1"], SET_UP), "b10", SET_UP, true);
  expect(step).toMatchObject({ kind: "changed", draft: { picked: ["c3", "a1"], places: [1, 2] } });
  const { draft } = step as { draft: Draft };
  expect(actionOf(draft, SET_UP)).toBeNull();
  expect(targetsOf(draft, SET_UP)).toEqual(new Set(["b10", "b9"])); // a shooter's, not a stone's
  expect(tap(draft, "z9", SET_UP, true)).toEqual({ kind: "ask", points: ["z9"] });
  const filled = pick(draft, "b9", SET_UP);
  expect(actionOf(filled, SET_UP)).toBe("b9,c3/a1");
  expect(tap(filled, "b10", SET_UP, true)).toMatchObject({ draft: { picked: ["c3", "a1", "b10"] } });
  expect(tap(filled, "b9", SET_UP, true)).toEqual({ kind: "confirm" }); // it was picked last
});

test("in a set-up where a piece is missing, the others stay where they are", () => {
  const back = tap(picks(["b10", "c3", "b9"], SET_UP), "b10", SET_UP, true) as { draft: Draft };
  expect(back.draft.picked).toEqual(["c3", "b9"]);
  expect(tap(back.draft, "a1", SET_UP, true)).toEqual({ kind: "ask", points: ["a1"] }); // no shooter's
});
