import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { PositionState } from "@pierule/client";
import { changesOf } from "../src/board/changes";
import { exists, linesOf, neighborOf, pointsOf, rowsOf, spotOf } from "../src/board/geometry";
import { EXAMPLES, positionOf } from "../src/rules/examples";

const at = (name: string, size: number) => (Number(name.slice(1)) - 1) * size + name.charCodeAt(0) - 97;

test("a1 is at the bottom left", () => {
  expect(spotOf(at("a1", 9), 9)).toEqual({ x: 0.5, y: 8.5 });
  expect(spotOf(at("i9", 9), 9)).toEqual({ x: 8.5, y: 0.5 });
  expect(rowsOf(3)).toEqual([
    [6, 7, 8],
    [3, 4, 5],
    [0, 1, 2],
  ]);
});

test("Taugo has no corners, and no line along its edge", () => {
  const corners = ["a1", "a6", "f1", "f6"].map((name) => at(name, 6));
  for (let index = 0; index < 36; index++) expect(exists("taugo", 6, index)).toBe(!corners.includes(index));
  expect(exists("loose", 6, 0)).toBe(true);
  for (const [from, to] of linesOf("taugo", 6))
    expect(from.x === to.x ? [0.5, 5.5].includes(from.x) : [0.5, 5.5].includes(from.y)).toBe(false);
  expect(linesOf("loose", 5)).toHaveLength(10);
  expect(linesOf("veletas", 7)).toEqual([]);
});

test("an action names its points, a segment all of them", () => {
  const names = (action: string) =>
    pointsOf(action, 10).map(
      (index) => `${String.fromCharCode(97 + (index % 10))}${Math.floor(index / 10) + 1}`,
    );
  expect(names("c3-c5")).toEqual(["c3", "c4", "c5"]);
  expect(names("c3-e3")).toEqual(["c3", "d3", "e3"]);
  expect(names("c4-c8/f10")).toEqual(["c4", "c8", "f10"]);
  expect(names("b9,b10/a1")).toEqual(["b9", "b10", "a1"]);
  for (const word of ["pass", "black", "komi:12"]) expect(names(word)).toEqual([]);
});

test("arrow keys stay on the board", () => {
  expect(neighborOf(0, 5, "ArrowLeft")).toBe(0);
  expect(neighborOf(0, 5, "ArrowUp")).toBe(5);
  expect(neighborOf(12, 5, "ArrowRight")).toBe(13);
  expect(neighborOf(12, 5, "End")).toBe(14);
  expect(neighborOf(12, 5, "PageUp")).toBe(22);
  expect(neighborOf(12, 5, "Home", true)).toBe(20);
  expect(neighborOf(12, 5, "End", true)).toBe(4);
  for (const key of ["x", "Tab"]) expect(neighborOf(12, 5, key)).toBeNull();
  expect(neighborOf(12, 5, "ArrowUp", true)).toBeNull(); // that is the browser's
});

test("what an action changed has a name", () => {
  const changes = (game: string, number: number) => {
    const { before, after, action } = EXAMPLES[game]![number]!;
    const [one, two] = [positionOf(game, before), positionOf(game, after!)];
    return Object.fromEntries([...changesOf(one, two, action!)].map(([index, change]) => [index, change]));
  };
  expect(changes("loose", 0)).toEqual({ [at("a1", 5)]: "flipped", [at("a2", 5)]: "placed" });
  expect(changes("veletas", 0)).toEqual({
    [at("f4", 7)]: "left",
    [at("d4", 7)]: "moved",
    [at("e4", 7)]: "placed",
  });
  expect(changes("taugo", 0)).toEqual({
    [at("b3", 6)]: "placed",
    [at("c3", 6)]: "placed",
    [at("d3", 6)]: "cut",
  });
  const claimed = changesOf(positionOf("veletas", "sb/.."), positionOf("veletas", "Bb/w."), "a1");
  expect([...claimed]).toEqual(
    [
      [2, "claimed"],
      [0, "placed"],
    ].sort(),
  );
});

test("the examples of the rules are those of the SPEC", () => {
  const spec = readFileSync(new URL("../../../protocol/SPEC.md", import.meta.url), "utf-8");
  const boards = [...spec.matchAll(/```board (\w+) \d+ .*\n([\s\S]*?)```/g)].map(([, game, drawn]) => {
    const rows = drawn!
      .trimEnd()
      .split("\n")
      .slice(0, -1)
      .map((row) => row.slice(2).replace(/[\d ]/g, ""));
    return `${game} ${rows.join("/")}`;
  });
  for (const [game, examples] of Object.entries(EXAMPLES))
    for (const { before, after } of examples)
      for (const board of [before, after].filter(Boolean)) expect(boards).toContain(`${game} ${board}`);
});

test("what is the same has not changed", () => {
  const position: PositionState = positionOf("loose", "w./.b");
  expect(changesOf(position, position, "a1").size).toBe(0);
  expect(changesOf(null, position, "a1").size).toBe(0);
});
