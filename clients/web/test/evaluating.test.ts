/** Evaluations of a line, from a source that the test feeds. */

import { ArchiveError, Refused, type archive } from "@pierule/client";
import { computed, signal } from "@preact/signals";
import { beforeEach, expect, test, vi } from "vitest";
import { Evaluating, troubleOf } from "../src/analysis/evaluating";
import { seatOf, swingsOf, type Step } from "../src/analysis/swings";
import { EMPTY_TREE, ROOT, lineThrough, pathTo, play, type Tree } from "../src/analysis/tree";

const evaluated = (ply: number, told: Partial<archive.Evaluated> = {}): archive.Evaluated => ({
  ply,
  to_act: ply % 2,
  black: 0,
  expected: 0.5,
  best: "x",
  played: 0.5,
  depth: 2,
  ...told,
});

const step = (ply: number, told: Partial<archive.Evaluated>, played: number | null): Step => ({
  here: evaluated(ply, told),
  played,
});

// --- swings ---

test("the three largest losses are told, of either player, the greatest first", () => {
  const steps = [
    step(0, { expected: 0.6 }, 0.5),
    step(1, { expected: 0.5 }, 0.9),
    step(2, { expected: 0.9 }, 0.3),
    step(3, { expected: 0.3 }, 0.36),
    step(4, { expected: 0.36 }, 0.34),
    { here: null, played: null },
  ];
  expect(swingsOf(steps).map(({ ply }) => ply)).toEqual([2, 1, 0]);
  expect(swingsOf(steps)[1]).toEqual({ ply: 1, best: "x", before: 0.5, after: expect.closeTo(0.1) });
});

test("small losses and the end are not swings", () => {
  expect(swingsOf([step(0, {}, 0.46), step(1, { to_act: null, best: null }, null)])).toEqual([]);
});

test("the curve is that of whoever takes Black, from the beginning on", () => {
  expect(seatOf([step(0, { black: null }, null), step(1, { black: 1 }, null)])).toBe(1);
  expect(seatOf([step(0, { black: null }, null)])).toBe(0);
});

// --- asking ---

/** What an evaluation needs of the table of an analysis. */
class Table {
  readonly tree = signal<Tree>(EMPTY_TREE);
  readonly at = signal(ROOT);
  readonly answers = signal<ReadonlyMap<string, unknown>>(new Map([["", {}]]));
  readonly line = computed(() => lineThrough(this.tree.value, this.at.value));
  readonly subject = { game: "toy", size: 2, rules: 1 };

  constructor(actions: readonly string[]) {
    for (const action of actions) this.play(action);
    this.at.value = ROOT;
  }

  play(action: string): void {
    [this.tree.value, this.at.value] = play(this.tree.value, this.at.value, action)!;
  }
}

let asked: { actions: readonly string[]; first: number }[] = [];
let refusal: Error | null = null;
/** Whether the source answers nothing, and what it calls when it waits. */
let isSilent = false;
let isWaiting = () => {};
const client = { analyze: vi.fn() };
const source = {
  async *evaluations(
    _: string,
    actions: readonly string[],
    { first = 0 }: { first?: number },
    signal: AbortSignal,
  ) {
    asked.push({ actions, first });
    if (refusal) throw refusal;
    if (isSilent)
      await new Promise((_, reject) => {
        signal.onabort = () => reject(new ArchiveError("aborted"));
        isWaiting();
      });
    for (let ply = first; ply <= actions.length; ply++)
      yield evaluated(ply, { played: ply < actions.length ? 0.5 : null });
  },
};

function opened(...actions: string[]): { table: Table; evaluating: Evaluating } {
  const table = new Table(actions);
  return { table, evaluating: new Evaluating(table as never, { source, client } as never) };
}

beforeEach(() => {
  asked = [];
  refusal = null;
  isSilent = false;
  client.analyze.mockReset().mockResolvedValue({});
  vi.useRealTimers();
});

test("a line is evaluated on request, and only its unknown positions", async () => {
  const { table, evaluating } = opened("a", "b");
  expect(asked).toEqual([]);
  await evaluating.run();
  expect(evaluating.done.value).toBe(3);
  await evaluating.run();
  expect(asked).toEqual([{ actions: ["a", "b"], first: 0 }]);
  table.at.value = pathTo(table.tree.value, table.line.value.at(-1)!)[0]!;
  table.play("c");
  await evaluating.run();
  expect(asked[1]).toEqual({ actions: ["a", "c"], first: 1 });
  expect(evaluating.isDone.value).toBe(true);
  evaluating.close();
});

test("the curve stays while somebody looks at variations, and grows with its line", async () => {
  const { table, evaluating } = opened("a", "b");
  await evaluating.run();
  const line = evaluating.line.value;
  table.at.value = line[1]!;
  table.play("c");
  expect(evaluating.line.value).toEqual(line);
  expect([evaluating.ply.value, evaluating.isDone.value]).toEqual([1, false]);
  table.at.value = line[2]!;
  expect([evaluating.ply.value, evaluating.isDone.value]).toEqual([2, true]);
  table.play("d");
  expect(evaluating.line.value.length).toBe(4);
  evaluating.close();
});

test("after that each position is evaluated when somebody stays at it", async () => {
  vi.useFakeTimers();
  const { table, evaluating } = opened("a");
  table.play("d");
  await vi.runAllTimersAsync();
  expect(asked).toEqual([]);
  await evaluating.run();
  table.answers.value = new Map();
  table.play("e");
  await vi.runAllTimersAsync();
  expect(asked.length).toBe(1);
  table.answers.value = new Map([["", {}]]);
  table.play("f");
  await vi.runAllTimersAsync();
  expect(asked[1]).toEqual({ actions: ["d", "e", "f"], first: 3 });
  evaluating.close();
});

test("a game that you are playing is not evaluated", async () => {
  client.analyze.mockRejectedValue(
    new Refused({ type: "error", id: 1, code: "not_now", text: "no" } as never),
  );
  const { evaluating } = opened("a");
  await evaluating.run();
  expect(asked).toEqual([]);
  expect(evaluating.trouble.value).toBe("playing");
  expect(evaluating.running.value).toBe(false);
  evaluating.close();
});

test("a stopped evaluation learns nothing more", async () => {
  const { evaluating } = opened("a", "b");
  const run = evaluating.run();
  evaluating.stop();
  await run;
  expect(evaluating.done.value).toBe(0);
  expect(evaluating.running.value).toBe(false);
  evaluating.close();
});

test("stopping or leaving ends the request", async () => {
  for (const how of ["stop", "close"] as const) {
    const { evaluating } = opened("a", "b");
    isSilent = true;
    const waiting = new Promise<void>((resume) => (isWaiting = resume));
    const run = evaluating.run();
    await waiting;
    evaluating[how]();
    await run; // it would wait for ever
    expect([evaluating.running.value, evaluating.trouble.value]).toEqual([false, null]);
    evaluating.close();
  }
});

test("after a stop nothing begins by itself until a new action", async () => {
  vi.useFakeTimers();
  const { table, evaluating } = opened("a", "b");
  const run = evaluating.run();
  evaluating.stop();
  await run;
  await vi.runAllTimersAsync();
  expect([asked, evaluating.running.value]).toEqual([[], false]);
  table.play("c");
  await vi.runAllTimersAsync();
  expect(asked).toEqual([{ actions: ["c"], first: 1 }]);
  evaluating.close();
});

test("a trouble is told, and gone once the server answers again", async () => {
  refusal = new ArchiveError("too many", 503);
  const { evaluating } = opened("a");
  await evaluating.run();
  expect(evaluating.trouble.value).toBe("busy");
  refusal = null;
  await evaluating.run();
  expect(evaluating.trouble.value).toBe(null);
  expect(evaluating.done.value).toBe(2);
  evaluating.close();
});

test("each error has its kind of trouble", () => {
  expect(troubleOf(new ArchiveError("", 404))).toBe("unable");
  expect(troubleOf(new ArchiveError("", 400))).toBe("long");
  expect(troubleOf(new ArchiveError("", 429))).toBe("busy");
  expect(troubleOf(new ArchiveError("", 500))).toBe("away");
  expect(troubleOf(new ArchiveError("silence"))).toBe("away");
  expect(troubleOf(new Error("lost"))).toBe("away");
});
