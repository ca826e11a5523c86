/** Writes an analysis as a file or as a link, and reads it again (SPEC 17.8). Pure. */

import type { Analysis, AnalysisNode, RoomRecord } from "@pierule/client";
import { actionsOf, isRecord, rulesOf } from "../room/record";
import { EMPTY_TREE, MOST_COMMENT, SYMBOLS, find, listed, play, ROOT, treeOf, type Tree } from "./tree";

/** The most characters of a link's data: chats and mail do not cut links of this length. */
export const MOST_LINK = 6_000;
/** The most bytes that a link may unpack to. */
const MOST_TEXT = 500_000;

/** What is analyzed. */
export type Subject = Pick<Analysis, "game" | "size" | "rules" | "record">;

/** An analysis that has only the actions of the game. */
export function ofRecord(record: RoomRecord): Analysis {
  let [tree, at]: [Tree, number] = [EMPTY_TREE, ROOT];
  for (const { action } of actionsOf(record)) [tree, at] = play(tree, at, action) ?? [tree, at];
  const { game, size } = record.options;
  return written({ game, size, rules: rulesOf(record), record }, tree);
}

export function written(subject: Subject, tree: Tree): Analysis {
  const { game, size, rules, record } = subject;
  const { comment } = tree.nodes.get(ROOT)!;
  const { nodes } = listed(tree);
  const head = { format: "pierule.analysis", version: 1, game, size, rules } as const;
  return { ...head, ...(comment && { comment }), nodes, ...(record && { record }) };
}

/** The analysis in a file's text; null if there is none. */
export function readAnalysis(text: string): Analysis | null {
  try {
    return sound(JSON.parse(text) as Partial<Analysis> | null);
  } catch {
    return null;
  }
}

function sound(told: Partial<Analysis> | null): Analysis | null {
  if (told?.format !== "pierule.analysis" || told.version !== 1) return null;
  const { game, size, rules, comment = "", nodes, record } = told;
  const isNumber = (value: unknown, most: number) =>
    Number.isInteger(value) && Number(value) >= 1 && Number(value) <= most;
  if (typeof game !== "string" || !isNumber(size, 99) || !isNumber(rules, 1_000)) return null;
  if (!isComment(comment) || !Array.isArray(nodes) || !nodes.every(isNode)) return null;
  const tree = treeOf(nodes, comment);
  if (!tree || (record !== undefined && !belongs(record, told as Analysis, tree))) return null;
  return told as Analysis;
}

const isComment = (value: unknown): boolean => typeof value === "string" && value.length <= 2 * MOST_COMMENT;

function isNode(value: unknown): value is AnalysisNode {
  const { after, action, symbol = "", comment = "" } = (value ?? {}) as Partial<AnalysisNode>;
  const marked = symbol === "" || (SYMBOLS as readonly string[]).includes(symbol);
  const isAction = typeof action === "string" && action.length <= 64;
  return Number.isInteger(after) && isAction && marked && isComment(comment);
}

/** Whether a record belongs to the analysis: it has the same game, and the tree has all its actions. */
function belongs(record: unknown, { game, size, rules }: Analysis, tree: Tree): boolean {
  if (!isRecord(record) || record.options.game !== game || record.options.size !== size) return false;
  return (
    rulesOf(record) === rules &&
    find(
      tree,
      actionsOf(record).map(({ action }) => action),
    ) !== null
  );
}

// --- links ---

/** The data of a link to an analysis, with everything but the record; null: it is too large for a link. */
export async function packed(analysis: Analysis): Promise<string | null> {
  const { record: _, ...rest } = analysis;
  const bytes = new Blob([JSON.stringify(rest)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
  const data = new Uint8Array(await new Response(bytes).arrayBuffer());
  if (data.length > MOST_LINK) return null;
  const text = btoa(String.fromCharCode(...data))
    .replaceAll("+", "-")
    .replaceAll("/", "_");
  const link = text.replace(/=+$/, "");
  return link.length > MOST_LINK ? null : link;
}

/** The analysis in a link's data; null if there is none, or if it would unpack to more than any analysis. */
export async function unpacked(data: string): Promise<Analysis | null> {
  if (data.length > MOST_LINK || !/^[A-Za-z0-9_-]+$/.test(data)) return null;
  try {
    const bytes = Uint8Array.from(atob(data.replaceAll("-", "+").replaceAll("_", "/")), (each) =>
      each.codePointAt(0)!,
    );
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return readAnalysis(await textOf(stream));
  } catch {
    return null;
  }
}

/** The text of a stream. Throws if it is too long. */
async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let [text, length] = ["", 0];
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    length += part.value.length;
    if (length > MOST_TEXT) {
      await reader.cancel();
      throw new Error("too long");
    }
    text += decoder.decode(part.value, { stream: true });
  }
  return text + decoder.decode();
}
