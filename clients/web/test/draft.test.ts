import { expect, test } from "vitest";
import type { Legal } from "@pierule/client";
import {
  EMPTY_DRAFT,
  actionOf,
  guess,
  guessSetUp,
  partOf,
  pick,
  targetsOf,
  unpick,
  wordsOf,
  type Draft,
} from "../src/board/draft";

const legal = (fields: Partial<Legal>): Legal => ({ turn: 3, total: 1, ...fields });
const answers = (given: Record<string, Partial<Legal>>) =>
  new Map(Object.entries(given).map(([prefix, fields]) => [prefix, legal(fields)]));
const picks = (points: string[], given: ReturnType<typeof answers>): Draft =>
  points.reduce((draft, point) => pick(draft, point, given), EMPTY_DRAFT);

test("one point is an action, and pass is a word", () => {
  const loose = answers({ "": { actions: ["a1", "b2", "pass"] } });
  expect([...targetsOf(EMPTY_DRAFT, loose)]).toEqual(["a1", "b2"]);
  expect(actionOf(picks(["b2"], loose), loose)).toBe("b2");
  expect(wordsOf(loose)).toEqual(["pass"]);
});

test("a segment begins at either end, and its end may stand alone", () => {
  const taugo = answers({ "": { actions: ["c3", "c3-c5", "c3-e3", "d9"] } });
  expect(targetsOf(EMPTY_DRAFT, taugo)).toEqual(new Set(["c3", "c5", "e3", "d9"]));
  const forth = picks(["c3"], taugo);
  expect(actionOf(forth, taugo)).toBe("c3");
  expect(targetsOf(forth, taugo)).toEqual(new Set(["c5", "e3"]));
  expect(actionOf(picks(["c3", "e3"], taugo), taugo)).toBe("c3-e3");
  const back = picks(["c5"], taugo);
  expect(actionOf(back, taugo)).toBeNull();
  expect(actionOf(picks(["c5", "c3"], taugo), taugo)).toBe("c3-c5");
});

test("what is too much for one answer is asked for piece by piece", () => {
  const veletas = answers({
    "": { next: ["c4", "f5"] },
    c4: { next: ["-c8", "-d5"] },
    "c4-c8": { actions: ["c4-c8/f5", "c4-c8/c4"] },
    f5: { actions: ["f5"] },
  });
  const moved = picks(["c4", "c8"], veletas);
  expect(moved.prefix).toBe("c4-c8");
  expect(targetsOf(moved, veletas)).toEqual(new Set(["f5", "c4"]));
  const shot = pick(moved, "c4", veletas);
  expect(actionOf(shot, veletas)).toBe("c4-c8/c4");
  expect(unpick(shot)).toEqual(moved);
  expect(unpick(moved)).toEqual({ picked: ["c4"], prefix: "c4" });
  expect(actionOf(picks(["f5"], veletas), veletas)).toBe("f5");
  expect(targetsOf({ picked: ["c4"], prefix: "c4" }, answers({ "": { next: ["c4"] } }))).toEqual(new Set());
});

test("a set-up is spelled by its parts, shooters in order", () => {
  const given = answers({
    "": {
      template: [
        { what: "shooter", count: 2, points: ["b10", "b9", "c3"] },
        { what: "stone", count: 1, points: ["a1", "b9", "b10"] },
      ],
    },
  });
  const two = picks(["b10", "b9"], given);
  expect(actionOf(two, given)).toBeNull();
  expect(partOf(two, given.get("")!.template!)?.what).toBe("stone");
  expect(targetsOf(two, given)).toEqual(new Set(["a1"]));
  expect(actionOf(picks(["b10", "b9", "a1"], given), given)).toBe("b9,b10/a1");
  expect(guessSetUp(EMPTY_DRAFT, "a5", given.get("")!.template!)).toBe("a5,b10/a1");
  expect(guessSetUp(two, "z9", given.get("")!.template!)).toBe("b9,b10/z9");
});

test("what may not be played has a name to ask for", () => {
  expect(guess("loose", EMPTY_DRAFT, "c3")).toBe("c3");
  expect(guess("veletas", { picked: ["c4"], prefix: "c4" }, "d9")).toBe("c4-d9/c4");
  expect(guess("veletas", { picked: ["c4", "c8"], prefix: "c4-c8" }, "a1")).toBe("c4-c8/a1");
  expect(guess("taugo", { picked: ["c10"], prefix: "" }, "c9")).toBe("c9-c10");
});
