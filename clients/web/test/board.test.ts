import fc from "fast-check";
import type { VNode } from "preact";
import { expect, test } from "vitest";
import { changesOf, pointsChanged } from "../src/board/changes";
import { Ground } from "../src/board/Ground";
import { layoutOf, neighborOf, pointName, pointsOf, spotsOf, type Layout } from "../src/board/geometry";
import { document } from "./documents";

const at = (name: string, size: number) => (Number(name.slice(1)) - 1) * size + name.charCodeAt(0) - 97;
const names = (rows: readonly (readonly number[])[], size: number) =>
  rows.map((row) => row.map((index) => pointName(index, size)).join(" "));

const SQUARE = document("square", [{ size: 3 }, { size: 5, missing: ["a1", "e1", "a5", "e5"] }]);
const HEXAGON = ["a1", "b1", "a2", "e4", "d5", "e5"];
const HEX = document("hexagonal", [{ size: 5, missing: HEXAGON }]);
const HEX_ABOVE = document("hexagonal", [{ size: 5, missing: HEXAGON }], {
  board: { ...HEX.board, columns: "above", rows: "right" },
});

const textAt = ({ letters }: Layout, text: string) => letters.find((letter) => letter.text === text)!.at;

test("a1 is at the bottom left, and the highest row is read first", () => {
  const layout = layoutOf(SQUARE.board, 3);
  expect(layout.spot(at("a1", 3))).toEqual({ x: 0, y: -0 });
  expect(layout.spot(at("c3", 3))).toEqual({ x: 2, y: -2 });
  expect(names(layout.rows, 3)).toEqual(["a3 b3 c3", "a2 b2 c2", "a1 b1 c1"]);
});

test("rows of hexagons lean to the right, and missing points are nowhere", () => {
  const layout = layoutOf(HEX.board, 5);
  const { x, y } = layout.spot(at("a3", 5));
  expect([x, y]).toEqual([1, expect.closeTo(-1.732, 3)]);
  expect(names(layout.rows, 5)).toEqual([
    "a5 b5 c5",
    "a4 b4 c4 d4",
    "a3 b3 c3 d3 e3",
    "b2 c2 d2 e2",
    "c1 d1 e1",
  ]);
  expect(layout.shades).toBe(3);
});

test("the cells of a shade are one path, whatever the size of the board", () => {
  const parts = (size: number) => {
    const { children } = Ground({ layout: layoutOf(SQUARE.board, size), bare: true }).props as {
      children: VNode<{ class?: string; d?: string }>[];
    };
    return children.flat().filter((part) => /^shade-/.test(part?.props.class ?? ""));
  };
  expect(parts(3)).toHaveLength(2);
  expect(parts(5)).toHaveLength(2);
  const cells = parts(3).map(({ props }) => props.d!.match(/M[^m]+/g));
  expect(cells.map((each) => each!.length)).toEqual([5, 4]);
  expect(cells[0]).toEqual(["M0,-2", "M2,-2", "M1,-1", "M0,0", "M2,0"]);
});

test("a board that is turned around has a1 at the top right, and keys lead where they point", () => {
  const layout = layoutOf(SQUARE.board, 3, true);
  expect(names(layout.rows, 3)).toEqual(["c1 b1 a1", "c2 b2 a2", "c3 b3 a3"]);
  const [corner, far] = [layout.spot(at("a1", 3)), layout.spot(at("c3", 3))];
  expect(corner.x).toBeGreaterThan(far.x);
  expect(corner.y).toBeLessThan(far.y);
  expect(pointName(neighborOf(layout, at("b2", 3), "ArrowUp")!, 3)).toBe("b1");
  expect(pointName(neighborOf(layout, at("b2", 3), "ArrowRight")!, 3)).toBe("a2");
  expect(layoutOf(SQUARE.board, 3).spot(at("c3", 3))).toEqual({ x: 2, y: -2 });
});

test.each([SQUARE, HEX, HEX_ABOVE])("the letters of a turned board stay at their sides", ({ board }) => {
  const [plain, turned] = [layoutOf(board, 5), layoutOf(board, 5, true)];
  expect(turned.frame.width).toBeCloseTo(plain.frame.width);
  const aside = ({ letters, spot, rows }: Layout) => {
    const middle = spot(rows.flat()[Math.floor(rows.flat().length / 2)]!);
    const way = (text: string, along: "x" | "y") =>
      Math.sign(letters.find((each) => each.text === text)!.at[along] - middle[along]);
    return [way("3", "x"), way("c", "y")];
  };
  expect(aside(turned)).toEqual(aside(plain));
});

test("coordinates stand where no point is", () => {
  const low = layoutOf(HEX.board, 5);
  expect(textAt(low, "a")).toEqual({ x: 0.5, y: expect.closeTo(-0.866, 3) }); // where a2 would be
  expect(textAt(low, "1")).toEqual({ x: 1, y: -0 });
  const high = layoutOf(HEX_ABOVE.board, 5);
  expect(textAt(high, "e")).toEqual({ x: 5.5, y: expect.closeTo(-2.598, 3) }); // e4
  expect(textAt(high, "5")).toEqual({ x: 5, y: expect.closeTo(-3.464, 3) }); // d5
});

test("points and letters lie in the frame, which is never higher than wide", () => {
  for (const [{ board }, size] of [
    [SQUARE, 3],
    [SQUARE, 5],
    [HEX, 5],
    [HEX_ABOVE, 5],
  ] as const) {
    const { frame, rows, spot, letters } = layoutOf(board, size);
    for (const { x, y } of [...rows.flat().map(spot), ...letters.map((letter) => letter.at)]) {
      expect(x).toBeGreaterThan(frame.x);
      expect(x).toBeLessThan(frame.x + frame.width);
      expect(y).toBeGreaterThan(frame.y);
      expect(y).toBeLessThan(frame.y + frame.height);
    }
    expect(frame.height).toBeLessThanOrEqual(frame.width + 1e-9);
  }
});

test("a size without a board in the document is a bare box", () => {
  expect(layoutOf(SQUARE.board, 4).rows.flat()).toHaveLength(16);
});

test("the outer sides of a point lie between its corners", () => {
  const corner = layoutOf(SQUARE.board, 3).outside(at("a1", 3));
  expect(corner).toHaveLength(2);
  for (const [from, to] of corner)
    expect([from.x, from.y, to.x, to.y].every((value) => Math.abs(value) === 0.5)).toBe(true);
  const layout = layoutOf(HEX.board, 5);
  expect(layout.outside(at("c3", 5))).toEqual([]);
  expect(layout.outside(at("d1", 5))).toHaveLength(2);
  expect(layout.outside(at("c1", 5))).toHaveLength(3);
  for (const [from, to] of layout.outside(at("c1", 5)))
    expect(Math.hypot(from.x - to.x, from.y - to.y)).toBeCloseTo(1 / Math.sqrt(3));
});

test("lines go through the points that they name", () => {
  expect(spotsOf(layoutOf(SQUARE.board, 3), ["a2", "c2", "z9"])).toEqual([
    { x: 0, y: -1 },
    { x: 2, y: -1 },
  ]);
});

test("an action names its points, and a segment all between its ends", () => {
  const named = (action: string, segments = true) =>
    pointsOf(action, 10, segments).map((index) => pointName(index, 10));
  expect(named("c3-c5")).toEqual(["c3", "c4", "c5"]);
  expect(named("c3-e3")).toEqual(["c3", "d3", "e3"]);
  expect(named("e3-c5")).toEqual(["e3", "d4", "c5"]); // straight on hexagons, too
  expect(named("c3-d5")).toEqual(["c3", "d5"]);
  expect(named("c3-c5", false)).toEqual(["c3", "c5"]);
  expect(named("c4-c8/f10")).toEqual(["c4", "c8", "f10"]);
  expect(named("b9,b10/a1")).toEqual(["b9", "b10", "a1"]);
  for (const word of ["pass", "black", "komi:12"]) expect(named(word)).toEqual([]);
});

test("keys lead from point to point, over what is missing", () => {
  const layout = layoutOf(SQUARE.board, 5);
  const to = (from: string, key: string, control = false) => {
    const index = neighborOf(layout, at(from, 5), key, control);
    return index === null ? null : pointName(index, 5);
  };
  expect(to("b1", "ArrowLeft")).toBe("b1");
  expect(to("b1", "ArrowUp")).toBe("b2");
  expect(to("a2", "ArrowDown")).toBe("b1"); // a1 is missing
  expect(to("c3", "ArrowRight")).toBe("d3");
  expect(to("c5", "Home")).toBe("b5");
  expect(to("c5", "End")).toBe("d5");
  expect(to("a3", "PageUp")).toBe("a4");
  expect(to("a3", "PageDown")).toBe("a2");
  expect(to("c3", "Home", true)).toBe("b5");
  expect(to("c3", "End", true)).toBe("d1");
  for (const key of ["x", "Tab"]) expect(to("c3", key)).toBeNull();
  expect(to("c3", "ArrowUp", true)).toBeNull(); // that is the browser's
});

test("arrow keys lead to every point of any board, and to no other", () => {
  const shape = fc.record({
    grid: fc.constantFrom("square" as const, "hexagonal" as const),
    size: fc.integer({ min: 2, max: 6 }),
    missing: fc.uniqueArray(fc.nat(35), { maxLength: 12 }),
  });
  fc.assert(
    fc.property(shape, ({ grid, size, missing }) => {
      // Rows and their order are what keys go by; a row may be broken or gone.
      const gone = missing.filter((index) => index > 0 && index < size * size);
      const board = { size, missing: gone.map((index) => pointName(index, size)) };
      const layout = layoutOf(document(grid, [board]).board, size);
      const there = new Set(layout.rows.flat());
      const reached = new Set([0]);
      for (const here of reached)
        for (const key of ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"])
          reached.add(neighborOf(layout, here, key)!);
      expect([...reached].sort()).toEqual([...there].sort());
    }),
  );
});

test("each changed cell is shown and told by the first entry that fits", () => {
  const cells = (board: string) => [...board].map(Number);
  const changes = changesOf(SQUARE, 3, cells("600121000"), cells("710011002"), "a3");
  const shownAs = (of: typeof changes) => [...of].map(([index, { motion, entry }]) => [index, motion, entry]);
  expect(shownAs(changes)).toEqual([
    [0, "claim", 0],
    [1, "appear", null],
    [3, "vanish", null],
    [4, "turn", null], // the action does not name it
    [8, "appear", null],
  ]);
  const named = changesOf(SQUARE, 3, cells("000120000"), cells("000110000"), "b2");
  expect(shownAs(named)).toEqual([[4, "turn", 1]]);
  expect(pointsChanged(named, 1, 3)).toEqual(["b2"]);
  expect(pointsChanged(named, 0, 3)).toEqual([]);
});

test("equal cells are not changes", () => {
  const cells = [1, 0, 2, 0];
  expect(changesOf(SQUARE, 2, cells, cells, "a1").size).toBe(0);
  expect(changesOf(SQUARE, 2, null, cells, "a1").size).toBe(0);
  expect(changesOf(SQUARE, 2, cells, [0, 0, 0, 0], null).size).toBe(0);
});

test("an action is shown in the order in which it happens", () => {
  const cells = (board: string) => [...board].map(Number);
  const steps = (before: string, after: string, action: string) =>
    [...changesOf({ ...SQUARE, segments: true }, 4, cells(before), cells(after), action)].map(
      ([index, { step }]) => [pointName(index, 4), step],
    );
  // A segment grows out of the piece of its own, on whichever side that stands.
  const grown = "1111000000000000";
  expect(steps("1000000000000000", grown, "b1-d1")).toEqual([
    ["b1", 0],
    ["c1", 1],
    ["d1", 2],
  ]);
  expect(steps("0001000000000000", grown, "a1-c1")).toEqual([
    ["a1", 2],
    ["b1", 1],
    ["c1", 0],
  ]);
  // What an action does elsewhere comes after it.
  expect(steps("0200000000000000", "1100000000000000", "a1")).toEqual([
    ["a1", 0],
    ["b1", 1],
  ]);
});

test("a piece that an action moves comes from where it stood", () => {
  const cells = (board: string) => [...board].map(Number);
  const changes = changesOf(SQUARE, 3, cells("600000000"), cells("000610000"), "a1-a2/b2");
  expect([...changes].map(([index, { from, step }]) => [index, from, step])).toEqual([
    [0, null, 0],
    [3, 0, 1],
    [4, null, 2],
  ]);
});
