/** The tree of an analysis, whatever is done with it; and its file and its link. */

import fc from "fast-check";
import type { AnalysisNode } from "@pierule/client";
import { expect, test } from "vitest";
import { packed, readAnalysis, unpacked, written, MOST_LINK } from "../src/analysis/file";
import {
  EMPTY_TREE,
  MOST_NODES,
  ROOT,
  SYMBOLS,
  actionsOf,
  annotate,
  below,
  beside,
  find,
  lineThrough,
  listed,
  mainLine,
  nodeOf,
  pathTo,
  play,
  promote,
  remove,
  rowsOf,
  treeOf,
  type Tree,
} from "../src/analysis/tree";

const SUBJECT = { game: "loose", size: 5, rules: 1 };
const POINTS = ["a1", "b1", "c1", "pass"];

/** What somebody does at a node that a number picks. */
const step = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ do: fc.constant("play" as const), action: fc.constantFrom(...POINTS) }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("remove" as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("promote" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("annotate" as const),
      symbol: fc.constantFrom(...SYMBOLS, "" as const),
      comment: fc.string({ unit: "binary", maxLength: 1_100 }),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

function done(tree: Tree, at: number, what: Step): Tree {
  if (what.do === "play") return play(tree, at, what.action)![0];
  if (what.do === "remove") return remove(tree, at);
  if (what.do === "promote") return promote(tree, at);
  return annotate(tree, at, what);
}

const tree = fc.array(fc.tuple(fc.nat(), step), { maxLength: 40 }).map((steps) =>
  steps.reduce((before, [pick, what]) => {
    const ids = [...before.nodes.keys()];
    return done(before, ids[pick % ids.length]!, what);
  }, EMPTY_TREE),
);

const some = fc.tuple(tree, fc.nat()).map(([grown, pick]): [Tree, number] => {
  const ids = [...grown.nodes.keys()];
  return [grown, ids[pick % ids.length]!];
});

/** A tree without its ids. */
const shapeOf = (of: Tree) => [listed(of).nodes, nodeOf(of, ROOT).comment];

test("any sequence of changes leaves a tree", () => {
  fc.assert(
    fc.property(tree, (grown) => {
      for (const [id, { parent, ply, children }] of grown.nodes) {
        expect(new Set(children).size).toBe(children.length);
        expect(new Set(actionsOf(grown, children)).size).toBe(children.length);
        for (const child of children) expect(nodeOf(grown, child).parent).toBe(id);
        if (parent === null) expect(id).toBe(ROOT);
        else expect(nodeOf(grown, parent).children).toContain(id);
        expect(pathTo(grown, id)).toHaveLength(ply);
        expect(id).toBeLessThan(grown.next);
      }
      expect(below(grown, ROOT)).toHaveLength(grown.nodes.size);
    }),
  );
});

test("a file holds the whole tree, and nothing else is read from it", () => {
  fc.assert(
    fc.property(tree, (grown) => {
      const analysis = written(SUBJECT, grown);
      const read = readAnalysis(JSON.stringify(analysis))!;
      expect(read).toEqual(analysis);
      const again = treeOf(read.nodes, read.comment)!;
      expect(shapeOf(again)).toEqual(shapeOf(grown));
      const { numbers } = listed(grown);
      for (const [id, number] of numbers)
        expect(actionsOf(again, pathTo(again, number))).toEqual(actionsOf(grown, pathTo(grown, id)));
    }),
  );
});

test("every node stands in one row, before what follows it", () => {
  fc.assert(
    fc.property(tree, (grown) => {
      const ids = rowsOf(grown).flatMap((row) => row.ids);
      expect([...ids].sort((a, b) => a - b)).toEqual(
        [...grown.nodes.keys()].filter((id) => id !== ROOT).sort((a, b) => a - b),
      );
      const at = new Map([ROOT, ...ids].map((id, place) => [id, place]));
      for (const id of ids) expect(at.get(nodeOf(grown, id).parent!)).toBeLessThan(at.get(id)!);
      const main = rowsOf(grown).filter(({ depth }) => !depth);
      expect(main.flatMap((row) => row.ids)).toEqual(mainLine(grown));
    }),
  );
});

test("promoting leads the main line through a node and loses nothing", () => {
  fc.assert(
    fc.property(some, ([grown, id]) => {
      const after = promote(grown, id);
      expect(mainLine(after)).toEqual(lineThrough(grown, id));
      expect(below(after, ROOT).sort()).toEqual(below(grown, ROOT).sort());
    }),
  );
});

test("removing takes a node and what follows, and leaves the rest", () => {
  fc.assert(
    fc.property(some, ([grown, id]) => {
      const gone = new Set(id === ROOT ? [] : below(grown, id));
      const after = remove(grown, id);
      expect([...after.nodes.keys()]).toEqual([...grown.nodes.keys()].filter((each) => !gone.has(each)));
      const [, fresh] = play(after, ROOT, "e5")!;
      expect(grown.nodes.has(fresh)).toBe(false); // what is known of a node is never taken for another's
    }),
  );
});

test("playing an action twice gives the same node", () => {
  fc.assert(
    fc.property(some, ([grown, id]) => {
      const path = pathTo(grown, id);
      expect(find(grown, actionsOf(grown, path))).toEqual(path);
      const [after, child] = play(grown, id, "a1")!;
      expect(play(after, id, "a1")).toEqual([after, child]);
      expect(find(after, [...actionsOf(after, path), "a1", "never"])).toBeNull();
    }),
  );
});

test("up and down go through all variations and stop at the ends", () => {
  let [grown] = play(EMPTY_TREE, ROOT, "a1")!;
  [grown] = play(grown, ROOT, "b1")!;
  [grown] = play(grown, ROOT, "c1")!;
  expect([beside(grown, 1, 1), beside(grown, 2, 1), beside(grown, 3, 1)]).toEqual([2, 3, 3]);
  expect([beside(grown, 3, -1), beside(grown, 1, -1), beside(grown, ROOT, 1)]).toEqual([2, 1, ROOT]);
});

test("a tree has a bounded size", () => {
  const nodes = Array.from({ length: MOST_NODES }, (_, at) => ({ after: 0, action: `x${at}` }));
  const full = treeOf(nodes)!;
  expect(play(full, ROOT, "pass")).toBeNull();
  expect(play(full, ROOT, "x7")![1]).toBe(8);
  expect(treeOf([...nodes, { after: 0, action: "more" }])).toBeNull();
});

const bad: [string, unknown][] = [
  ["format", { format: "pierule.room" }],
  ["version", { version: 2 }],
  ["size", { size: 0 }],
  ["rules", { rules: "1" }],
  ["nodes", { nodes: {} }],
  ["order", { nodes: [{ after: 1, action: "a1" }] }],
  [
    "twice",
    {
      nodes: [
        { after: 0, action: "a1" },
        { after: 0, action: "a1" },
      ],
    },
  ],
  ["symbol", { nodes: [{ after: 0, action: "a1", symbol: "!!!" }] }],
  ["action", { nodes: [{ after: 0, action: 7 }] }],
  ["long action", { nodes: [{ after: 0, action: "a".repeat(65) }] }],
  ["node", { nodes: [null] }],
  ["record", { record: { format: "pierule.room" } }],
  ["long comment", { comment: "x".repeat(3_000) }],
];
test.each(bad)("an invalid analysis is not read: %s", (_, fields) => {
  const good = written(SUBJECT, EMPTY_TREE);
  expect(readAnalysis(JSON.stringify(good))).toEqual(good);
  expect(readAnalysis(JSON.stringify({ ...good, ...(fields as object) }))).toBeNull();
});

test("reading any text as an analysis does not throw", () => {
  fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void readAnalysis(text)));
  expect(readAnalysis("null")).toBeNull();
});

test("a link gives the analysis again, without its record", async () => {
  await fc.assert(
    fc.asyncProperty(tree, async (grown) => {
      const analysis = written(SUBJECT, grown);
      const data = await packed(analysis);
      if (data === null) return;
      expect(data).toMatch(/^[A-Za-z0-9_-]+$/);
      expect(await unpacked(data)).toEqual(analysis);
    }),
    { numRuns: 30 },
  );
});

test("links and what they unpack to have bounded sizes", async () => {
  const nodes: AnalysisNode[] = Array.from({ length: 1_000 }, (_, at) => {
    const digits = String((at * 2_654_435_761) % 4_294_967_296);
    return { after: at, action: `x${digits}`, comment: digits.repeat(3) };
  });
  expect(await packed(written(SUBJECT, treeOf(nodes)!))).toBeNull();
  const bomb = JSON.stringify({ ...written(SUBJECT, EMPTY_TREE), more: "x".repeat(3_000_000) });
  const stream = new Blob([bomb]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const bytes = Buffer.from(await new Response(stream).arrayBuffer()).toString("base64url");
  expect(bytes.length).toBeLessThan(MOST_LINK);
  for (const data of [bytes, "", "!", "AAAA", "x".repeat(MOST_LINK + 1)])
    expect(await unpacked(data)).toBeNull();
});
