/**
 * A tree of actions: what was played, and what could have been. The first child of a node continues its line;
 * the others begin variations. Pure: nothing here is ever changed in place.
 */

import type { AnalysisNode } from "@pierule/client";

export type Symbol = NonNullable<AnalysisNode["symbol"]>;
export const SYMBOLS = ["!", "?", "!!", "??", "!?", "?!"] as const satisfies readonly Symbol[];

/** SPEC 17.8. */
export const MOST_NODES = 2_000;
export const MOST_COMMENT = 1_000;
/** The most actions of a line that a server plays (SPEC 10.2). */
export const MOST_PLIES = 1_000;

export interface TreeNode {
  /** The id of the node after which it is played; null: this is the opening. */
  readonly parent: number | null;
  readonly ply: number;
  readonly action: string;
  readonly symbol: Symbol;
  readonly comment: string;
  readonly children: readonly number[];
}

/** Nodes by id. An id is never used again. */
export interface Tree {
  readonly nodes: ReadonlyMap<number, TreeNode>;
  readonly next: number;
}

/** The id of the opening. */
export const ROOT = 0;

const ALONE: TreeNode = { parent: null, ply: 0, action: "", symbol: "", comment: "", children: [] };

export const EMPTY_TREE: Tree = { nodes: new Map([[ROOT, ALONE]]), next: 1 };

export const nodeOf = (tree: Tree, id: number): TreeNode => tree.nodes.get(id)!;

/** The tree with an action after a node, and the action's id. If the action is there already, nothing
 * changes. null: no more fits. */
export function play(tree: Tree, at: number, action: string): [Tree, number] | null {
  const parent = nodeOf(tree, at);
  const known = parent.children.find((child) => nodeOf(tree, child).action === action);
  if (known !== undefined) return [tree, known];
  if (tree.nodes.size > MOST_NODES || parent.ply >= MOST_PLIES) return null;
  const id = tree.next;
  const nodes = new Map(tree.nodes);
  nodes.set(at, { ...parent, children: [...parent.children, id] });
  nodes.set(id, { ...ALONE, parent: at, ply: parent.ply + 1, action });
  return [{ nodes, next: id + 1 }, id];
}

/** A node and all that comes after it. */
export function below(tree: Tree, id: number): number[] {
  const found = [id];
  for (let at = 0; at < found.length; at++) found.push(...nodeOf(tree, found[at]!).children);
  return found;
}

/** The tree without a node and all that comes after it. The opening always stays. */
export function remove(tree: Tree, id: number): Tree {
  const { parent } = nodeOf(tree, id);
  if (parent === null) return tree;
  const nodes = new Map(tree.nodes);
  for (const each of below(tree, id)) nodes.delete(each);
  const before = nodeOf(tree, parent);
  nodes.set(parent, { ...before, children: before.children.filter((child) => child !== id) });
  return { ...tree, nodes };
}

/** The tree whose main line leads through a node. */
export function promote(tree: Tree, id: number): Tree {
  const nodes = new Map(tree.nodes);
  let at = id;
  for (let parent = nodeOf(tree, at).parent; parent !== null; parent = nodeOf(tree, at).parent) {
    const { children, ...rest } = nodeOf(tree, parent);
    const first = at;
    nodes.set(parent, { ...rest, children: [first, ...children.filter((child) => child !== first)] });
    at = parent;
  }
  return { ...tree, nodes };
}

/** The tree with a symbol or a comment at a node. A comment is cut to what a file may hold. */
export function annotate(tree: Tree, id: number, said: { symbol?: Symbol; comment?: string }): Tree {
  const nodes = new Map(tree.nodes);
  const node = { ...nodeOf(tree, id), ...said };
  nodes.set(id, { ...node, comment: wellFormed(node.comment.slice(0, MOST_COMMENT)) });
  return { ...tree, nodes };
}

/** A text without halves of characters, which no file may hold. */
const wellFormed = (text: string): string => text.replace(/\p{Surrogate}/gu, "");

/** The ids from the first action to a node; none for the opening. */
export function pathTo(tree: Tree, id: number): number[] {
  const path: number[] = [];
  for (let at: number | null = id; at !== null && at !== ROOT; at = nodeOf(tree, at).parent) path.push(at);
  return path.reverse();
}

/** The path to a node, and from there to the end of its line. */
export function lineThrough(tree: Tree, id: number): number[] {
  const line = pathTo(tree, id);
  for (let at = nodeOf(tree, id).children[0]; at !== undefined; at = nodeOf(tree, at).children[0])
    line.push(at);
  return line;
}

export const mainLine = (tree: Tree): number[] => lineThrough(tree, ROOT);

export const actionsOf = (tree: Tree, ids: readonly number[]): string[] =>
  ids.map((id) => nodeOf(tree, id).action);

/** The ids of a list of actions from the opening on; null if the tree lacks one of them. */
export function find(tree: Tree, actions: readonly string[]): number[] | null {
  const found: number[] = [];
  let at = ROOT;
  for (const action of actions) {
    const next = nodeOf(tree, at).children.find((child) => nodeOf(tree, child).action === action);
    if (next === undefined) return null;
    found.push((at = next));
  }
  return found;
}

/** The variation before or after a node, of those that begin where it does; itself if there is none. */
export function beside(tree: Tree, id: number, by: 1 | -1): number {
  const { parent } = nodeOf(tree, id);
  const all = parent === null ? [id] : nodeOf(tree, parent).children;
  return all[all.indexOf(id) + by] ?? id;
}

/** A part of a line without branches before its last node, and how deep it lies among variations. */
export interface Row {
  readonly depth: number;
  readonly ids: readonly number[];
}

/** The tree as rows. After an action that has alternatives, these come first, and then its line goes on. */
export function rowsOf(tree: Tree): Row[] {
  const rows: Row[] = [];
  const waiting = [{ at: nodeOf(tree, ROOT).children, depth: 0, alone: false }];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { depth } = next;
    const ids: number[] = [];
    let { at, alone } = next;
    while (at.length && (alone || at.length === 1)) {
      ids.push(at[0]!);
      at = nodeOf(tree, at[0]!).children;
      alone = false;
    }
    const [first, ...others] = at;
    if (first !== undefined) ids.push(first);
    if (ids.length) rows.push({ depth, ids });
    if (first === undefined) continue;
    waiting.push({ at: nodeOf(tree, first).children, depth, alone: false });
    for (const other of others.reverse()) waiting.push({ at: [other], depth: depth + 1, alone: true });
  }
  return rows;
}

/** The tree as a file lists it, and each node's number there. */
export function listed(tree: Tree): { nodes: AnalysisNode[]; numbers: ReadonlyMap<number, number> } {
  const nodes: AnalysisNode[] = [];
  const numbers = new Map([[ROOT, 0]]);
  const waiting = [...nodeOf(tree, ROOT).children].reverse();
  for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
    const { parent, action, symbol, comment, children } = nodeOf(tree, id);
    const said = { ...(symbol && { symbol }), ...(comment && { comment }) };
    nodes.push({ after: numbers.get(parent!)!, action, ...said });
    numbers.set(id, nodes.length);
    waiting.push(...[...children].reverse());
  }
  return { nodes, numbers };
}

/** The tree that a file lists; its ids are the numbers there. null if the list is no tree. */
export function treeOf(nodes: readonly AnalysisNode[], comment = ""): Tree | null {
  let tree = annotate(EMPTY_TREE, ROOT, { comment });
  const grown = new Map<number, { node: TreeNode; children: number[] }>([
    [ROOT, { node: nodeOf(tree, ROOT), children: [] }],
  ]);
  const told = new Set<string>();
  if (nodes.length > MOST_NODES) return null;
  for (const [at, { after, action, symbol = "", comment: said = "" }] of nodes.entries()) {
    const before = grown.get(after);
    if (!before || before.node.ply >= MOST_PLIES || told.has(`${after} ${action}`)) return null;
    told.add(`${after} ${action}`);
    before.children.push(at + 1);
    const node = { ...ALONE, parent: after, ply: before.node.ply + 1, action, symbol, comment: said };
    grown.set(at + 1, { node, children: [] });
  }
  const whole = [...grown].map(([id, { node, children }]) => [id, { ...node, children }] as const);
  tree = { nodes: new Map(whole), next: nodes.length + 1 };
  return tree;
}
