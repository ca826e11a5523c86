/** An analysis over a server of the test's own, which holds its answers back until it is told to. */

import {
  Refused,
  type GameDocument,
  type LegalPart,
  type Line,
  type LineQuestion,
  type PositionState,
} from "@pierule/client";
import { signal } from "@preact/signals";
import { beforeEach, expect, test, vi } from "vitest";
import { AnalysisTable } from "../src/analysis/table";
import { BESIDE } from "../src/board/beside";
import { ROOT, actionsOf, mainLine, nodeOf, pathTo, treeOf, type Tree } from "../src/analysis/tree";

/** The game of the test: stones on four points, and a segment from one to another. */
const POINTS = ["a1", "a2", "b1", "b2"];

const position = (actions: readonly string[]): PositionState =>
  ({ game: "toy", size: 2, black: 0, to_act: actions.length % 2, cells: [actions.length, 0, 0, 0] }) as never;

const legalOf = (actions: readonly string[]) => {
  const free = POINTS.filter((point) => !actions.includes(point));
  return [...free, ...(free.length > 1 ? [`${free[0]}-${free[1]}`] : []), "pass"];
};

const held: (() => void)[] = [];
const asked: { actions: readonly string[]; question: LineQuestion }[] = [];
let refuses: Refused | null = null;
let template: LegalPart[] | null = null;

const client = {
  replay: () => new Promise<PositionState[]>(() => {}), // it would only be faster
  analyze({ actions }: Line, question: LineQuestion = {}) {
    asked.push({ actions, question });
    return new Promise<any>((resolve, reject) =>
      held.push(() => {
        if (refuses) return reject(refuses);
        const { points } = question;
        const all = legalOf(actions);
        const refusal = { rule: "occupied", points: points ?? [], text: "no" };
        const legal = points
          ? { turn: 0, total: 0, refusal, preview: [] }
          : { turn: 0, total: all.length, ...(template ? { template } : { actions: all }) };
        const before = actions.length ? position(actions.slice(0, -1)) : null;
        resolve({ before, position: position(actions), legal, account: null });
      }),
    );
  },
};

/** Let the server answer everything that it is asked. */
async function answered(): Promise<void> {
  for (let quiet = 0; quiet < 5; quiet++) {
    for (let next = held.shift(); next; next = held.shift()) {
      next();
      quiet = 0;
    }
    await Promise.resolve();
    await new Promise((resolve) => setTimeout(resolve));
  }
}

const keep = vi.fn<(tree: Tree, at: number) => void>();
const game = signal({ segments: false } as GameDocument);
beforeEach(() => {
  held.length = asked.length = 0;
  refuses = template = null;
  keep.mockClear();
});

function opened(actions: string[] = [], played: string[] = []): AnalysisTable {
  const tree = treeOf(actions.map((action, after) => ({ after, action })))!;
  return new AnalysisTable({ game: "toy", size: 2, rules: 1 }, tree, actions.length, played, {
    client,
    game,
    keep,
  });
}

const lineOf = (table: AnalysisTable) =>
  actionsOf(table.tree.value, pathTo(table.tree.value, table.at.value));

test("a tap that completes an action plays it, and nothing is sent to a game", async () => {
  const table = opened();
  await answered();
  await Promise.all([table.choose("b2", ROOT), answered()]);
  expect(lineOf(table)).toEqual(["b2"]);
  expect(keep).toHaveBeenCalledOnce();
  await answered();
  expect(table.isHere.value).toBe(true);
  expect(table.position.value).toEqual(position(["b2"]));
  expect(table.before.value).toEqual(position([]));
});

test("an action that could go on is played by its button", async () => {
  const table = opened();
  await answered();
  await Promise.all([table.choose("a1", ROOT), answered()]);
  expect(lineOf(table)).toEqual([]);
  expect(table.action.value).toBe("a1");
  const { value: shown } = table.shown;
  await table.send("a1", shown);
  expect(lineOf(table)).toEqual(["a1"]);
  await table.send("a1", shown); // what was shown then is not shown now
  expect(lineOf(table)).toEqual(["a1"]);
});

test("a tap that was made on an older board plays nothing", async () => {
  const table = opened();
  const taps = [table.choose("b2", ROOT), table.choose("b1", ROOT)];
  await Promise.all([...taps, answered()]);
  expect(lineOf(table)).toEqual(["b2"]);
  await Promise.all([table.choose("b1", table.at.value, true), answered()]);
  expect(lineOf(table)).toEqual(["b2", "b1"]);
});

test("a tap on a point that may not be chosen is explained, and plays nothing", async () => {
  const table = opened(["b2"]);
  await answered();
  await Promise.all([table.choose("b2", table.at.value), answered()]);
  expect(lineOf(table)).toEqual(["b2"]);
  expect(table.refused.value).toMatchObject({ code: "illegal", answer: { rule: "occupied" } });
  table.go(ROOT);
  expect(table.refused.value).toBeNull();
});

test("where the action is a number, a tap is told to set it beside the board", async () => {
  const table = opened();
  template = [{ what: "width", first: 0, last: 24, step: 2 }];
  await answered();
  await Promise.all([table.choose("b2", table.at.value), answered()]);
  expect(table.refused.value).toMatchObject({ code: BESIDE, message: "width" });
  expect(lineOf(table)).toEqual([]);
});

test("stepping fast through a line asks only about its last position", async () => {
  const table = opened(["a1", "a2", "b1", "b2"]);
  for (const ply of [3, 2, 1, 0]) table.look(ply);
  await answered();
  expect(asked.map(({ actions }) => actions.length)).toEqual([4, 0]);
  expect(table.position.value).toEqual(position([]));
  table.look(99);
  expect(table.ply.value).toBe(4);
});

test("an older board stays until the one that is looked at is known", async () => {
  const table = opened(["a1", "a2"]);
  await answered();
  table.look(0);
  expect(table.isHere.value).toBe(false);
  expect(table.position.value).toEqual(position(["a1", "a2"]));
  await answered();
  expect(table.position.value).toEqual(position([]));
});

test("a position that is refused says so, and others are free", async () => {
  const table = opened(["a1"]);
  refuses = new Refused({ type: "error", id: 1, code: "not_now", text: "you are playing this" });
  await answered();
  expect(table.refused.value?.code).toBe("not_now");
  await Promise.all([table.choose("b2", table.at.value), answered()]);
  expect(lineOf(table)).toEqual(["a1"]);
  refuses = null;
  table.look(0);
  await answered();
  expect([table.refused.value, table.isHere.value]).toEqual([null, true]);
});

test("actions of the game stay; a variation is removed and restored", async () => {
  const table = opened(["a1", "a2"], ["a1", "a2"]);
  await answered();
  expect(table.isRemovable.value).toBe(false);
  table.remove();
  expect(mainLine(table.tree.value)).toHaveLength(2);
  table.look(1);
  table.play("b2");
  table.play("b1");
  table.promote();
  table.annotate({ symbol: "!?", comment: "why not" });
  expect(actionsOf(table.tree.value, mainLine(table.tree.value))).toEqual(["a1", "b2", "b1"]);
  const { value: at } = table.at;
  table.look(2);
  table.remove();
  expect(table.deleted.value?.count).toBe(2);
  expect(lineOf(table)).toEqual(["a1"]);
  table.restore();
  expect(lineOf(table)).toEqual(["a1", "b2"]);
  expect(nodeOf(table.tree.value, at)).toMatchObject({ symbol: "!?", comment: "why not" });
  await answered();
  expect(table.isHere.value).toBe(true);
});
