import { expect, test } from "vitest";
import type { LessonTree, PositionState } from "@pierule/client";
import { Lesson } from "../src/learn/lesson";
import { document } from "./documents";

const POSITION: PositionState = {
  game: "rocks",
  size: 2,
  phase: "play",
  to_act: 0,
  black: 0,
  komi: null,
  passes: 0,
  score: [0, 0],
  winner: null,
  cells: [0, 0, 0, 6],
};
const played = (action: string, ...cells: [number, number][]) => ({ action, diff: { cells } });

/** First a1, which is answered; then a row of two points, or a pass. */
const TREE: LessonTree = {
  name: "two",
  position: POSITION,
  nodes: [
    {
      says: "first",
      choices: [
        { says: "well", played: [played("a1", [0, 1]), played("b1", [1, 2])], next: 1 },
        { says: "no", good: false, played: [played("a2", [2, 1])] },
      ],
      refusals: { b2: { rule: "occupied", points: ["b2"] } },
    },
    {
      says: "second",
      choices: [
        { says: "done", played: [played("a1-a2", [2, 1])] },
        { says: "done", played: [played("pass")] },
        { says: "done", played: [played("komi:6")] },
      ],
    },
  ],
};
const begin = () => new Lesson(document("square", [{ size: 2 }], { segments: true }), TREE);

test("a good choice leads on, with the replies to it", () => {
  const lesson = begin();
  expect([...lesson.targets.value]).toEqual(["a1", "a2"]);
  expect([lesson.step.value, lesson.steps.value]).toEqual([0, 2]);
  lesson.choose("a1");
  expect(lesson.outcome.value?.choice.says).toBe("well");
  expect(lesson.outcome.value?.boards.map(({ cells }) => cells)).toEqual([
    [0, 0, 0, 6],
    [1, 0, 0, 6],
    [1, 2, 0, 6],
  ]);
  expect(lesson.position.value.cells).toEqual([1, 2, 0, 6]);
  lesson.choose("a2"); // not before the learner goes on
  expect(lesson.position.value.cells).toEqual([1, 2, 0, 6]);
  lesson.goOn();
  expect([lesson.node.value.says, lesson.step.value, lesson.steps.value]).toEqual(["second", 1, 2]);
});

test("a wrong choice is taken back", () => {
  const lesson = begin();
  lesson.choose("a2");
  expect([lesson.outcome.value?.choice.says, lesson.isDone.value]).toEqual(["no", false]);
  expect(lesson.position.value.cells).toEqual([0, 0, 1, 6]);
  lesson.goOn();
  expect([lesson.node.value.says, lesson.step.value]).toEqual(["first", 0]);
  expect(lesson.position.value).toEqual(POSITION);
});

test("a tap takes a wrong choice back, and does nothing else", () => {
  const lesson = begin();
  lesson.choose("a2");
  expect(lesson.isWrong.value).toBe(true);
  lesson.choose("a2", true); // the second half of the double tap that chose it
  expect(lesson.isWrong.value).toBe(true);
  lesson.choose("a1");
  expect([lesson.outcome.value, lesson.position.value]).toEqual([null, POSITION]);
  lesson.choose("a1", true); // the second half of the double tap that took it back
  expect(lesson.outcome.value).toBeNull();
  lesson.choose("a1");
  expect(lesson.outcome.value?.choice.says).toBe("well");
  lesson.choose("a2"); // a good choice stays
  lesson.undo();
  expect(lesson.outcome.value?.choice.says).toBe("well");
});

test("Escape takes a wrong choice back", () => {
  const lesson = begin();
  lesson.choose("a2");
  lesson.undo();
  expect([lesson.outcome.value, lesson.position.value]).toEqual([null, POSITION]);
});

test("a point that begins no choice is told of, and changes nothing", () => {
  const lesson = begin();
  lesson.choose("b2");
  expect(lesson.aside.value).toEqual({ point: "b2", why: { rule: "occupied", points: ["b2"] } });
  lesson.choose("b1");
  expect(lesson.aside.value).toEqual({ point: "b1", why: null });
  expect(lesson.position.value).toEqual(POSITION);
  lesson.choose("a1");
  expect(lesson.aside.value).toBeNull();
});

test("an action of two points is picked from either end, and the lesson can begin again", () => {
  const lesson = begin();
  lesson.choose("a1");
  lesson.goOn();
  lesson.choose("a2");
  expect([lesson.draft.value.picked, lesson.action.value]).toEqual([["a2"], null]);
  lesson.undo();
  expect(lesson.draft.value.picked).toEqual([]);
  lesson.choose("a2");
  lesson.choose("a1");
  expect([lesson.outcome.value?.choice.says, lesson.isDone.value]).toEqual(["done", true]);
  lesson.goOn();
  expect([lesson.node.value.says, lesson.step.value]).toEqual(["first", 0]);
  expect(lesson.position.value).toEqual(POSITION);
});

test("a word or a number is a choice, too", () => {
  const lesson = begin();
  lesson.choose("a1");
  lesson.goOn();
  expect(lesson.words.value).toEqual(["pass", "komi:6"]);
  lesson.play("pass");
  expect(lesson.isDone.value).toBe(true);
});
