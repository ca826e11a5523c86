import fc from "fast-check";
import { expect, test } from "vitest";
import type { LessonTree } from "@pierule/client";
import { nameOf, nextAfter, progressOf, readDone, withDone, without } from "../src/learn/progress";

const trees = (...names: string[]) => names.map((name) => ({ name }) as LessonTree);
const THREE = trees("place", "flip", "end");

test("nothing is done at first, and the first lesson comes next", () => {
  expect(progressOf({}, "rocks", THREE)).toEqual({ marks: [false, false, false], done: 0, next: 0 });
  expect(progressOf({}, "rocks", [])).toEqual({ marks: [], done: 0, next: null });
});

test("lessons may be skipped, and what was skipped comes again after the last", () => {
  let done = withDone({}, "rocks", "flip");
  done = withDone(done, "rocks", "flip");
  const progress = progressOf(done, "rocks", THREE);
  expect(progress).toEqual({ marks: [false, true, false], done: 1, next: 0 });
  expect([nextAfter(progress, 0), nextAfter(progress, 1), nextAfter(progress, 2)]).toEqual([2, 2, 0]);
  for (const lesson of ["place", "end"]) done = withDone(done, "rocks", lesson);
  expect(progressOf(done, "rocks", THREE).next).toBeNull();
  expect(nextAfter(progressOf(done, "rocks", THREE), 2)).toBeNull();
});

test("each game has its own progress, and can begin again", () => {
  const done = withDone(withDone({}, "rocks", "place"), "stones", "place");
  expect(progressOf(without(done, "rocks"), "rocks", THREE).done).toBe(0);
  expect(progressOf(without(done, "rocks"), "stones", THREE).done).toBe(1);
});

test("lessons go by their names: new ones are not done, and lost ones do not count", () => {
  const done = { rocks: ["place", "lost"] };
  expect(progressOf(done, "rocks", trees("new", "place")).marks).toEqual([false, true]);
  expect(nameOf(trees(""), 0)).toBe("1");
});

test("any stored text is read", () => {
  for (const text of [null, "", "{", "[]", "null", "7", '{"rocks":7,"stones":["a",1]}'])
    expect(
      Object.values(readDone(text))
        .flat()
        .every((name) => typeof name === "string"),
    ).toBe(true);
  fc.assert(fc.property(fc.json(), (text) => void progressOf(readDone(text), "rocks", THREE)));
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.array(fc.string())), (done) => {
      expect(Object.entries(readDone(JSON.stringify(done)))).toEqual(Object.entries(done));
    }),
  );
});
