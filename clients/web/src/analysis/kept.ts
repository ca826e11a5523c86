/** The analyses that this browser keeps, by name: the latest ones, as far as there is room. */

import { crc32, type Analysis, type RoomRecord } from "@pierule/client";
import { go } from "../route";
import { load, save } from "../storage";
import { ofRecord, readAnalysis } from "./file";
import { find, treeOf } from "./tree";
import { actionsOf } from "../room/record";

/** The most analyses that are kept, and the most characters of each. */
const MOST_KEPT = 8;
const MOST_CHARACTERS = 400_000;

export interface Kept {
  analysis: Analysis;
  /** The number of the node that was looked at last. */
  at: number;
}

/** The one that is open: it is there also if it is too large to be kept. */
let open: { name: string; kept: Kept } | null = null;

const NAME = /^[a-z0-9_-]{1,60}$/;
const place = (name: string): string => `analysis.${name}`;

/** The names of those that are kept, the latest first. */
export function names(): string[] {
  try {
    const told: unknown = JSON.parse(load("analyses") ?? "[]");
    return Array.isArray(told) ? told.filter((name) => typeof name === "string" && NAME.test(name)) : [];
  } catch {
    return [];
  }
}

/** Keep an analysis; whether it is small enough to survive a reload. */
export function keep(name: string, kept: Kept): boolean {
  open = { name, kept };
  const text = JSON.stringify(kept.analysis);
  if (text.length > MOST_CHARACTERS) return false;
  const others = names().filter((other) => other !== name);
  while (others.length >= MOST_KEPT) {
    const plain = others.map(isPlain).lastIndexOf(true);
    for (const old of others.splice(plain, 1)) save(place(old), null); // -1: the oldest
  }
  save(place(name), `${kept.at} ${text}`);
  save("analyses", JSON.stringify([name, ...others]));
  return load(place(name)) === `${kept.at} ${text}`;
}

/** Whether nothing is lost with an analysis: it has what was played, and not a word. */
function isPlain(name: string): boolean {
  const found = kept(name)?.analysis;
  if (!found) return true;
  const played = found.record ? actionsOf(found.record).length : 0;
  const noted = found.comment || found.nodes.some(({ comment, symbol }) => comment || symbol);
  return !noted && found.nodes.length <= played;
}

export function kept(name: string): Kept | null {
  if (open?.name === name) return open.kept;
  const [, at, text] = /^(\d{1,4}) (.*)$/s.exec(load(place(name)) ?? "") ?? [];
  const analysis = text ? readAnalysis(text) : null;
  return analysis && { analysis, at: Math.min(Number(at), analysis.nodes.length) };
}

export function forget(name: string): void {
  if (open?.name === name) open = null;
  save(place(name), null);
  save("analyses", JSON.stringify(names().filter((other) => other !== name)));
}

export const analysisPath = (name: string): string => `#/analysis/${name}`;

/** Go to an analysis, which is kept under this name. */
export function show(name: string, analysis: Analysis, at = 0): void {
  keep(name, { analysis, at });
  go(analysisPath(name));
}

/** Open an analysis that came as this text, unless it is kept already: then what was changed since. */
export function receive(kind: "file" | "link", text: string, analysis: Analysis): void {
  const name = `${kind}-${crc32(text).toString(16)}`;
  if (!kept(name)) keep(name, { analysis, at: 0 });
  // The way back does not lead to the link, from which you would come here again.
  if (kind === "link") location.replace(analysisPath(name));
  else go(analysisPath(name));
}

/** The analysis that is to be evaluated as soon as it is open. */
let wish: string | null = null;

/** Whether somebody wishes this analysis to be evaluated; it is told once. */
export function takeWish(name: string): boolean {
  const isWished = wish === name;
  wish = null;
  return isWished;
}

/** Analyze a recorded game from a ply on. What was thought about it before is there again. */
export function analyze(record: RoomRecord, ply: number, evaluated = false): void {
  const name = `room-${record.room}`;
  wish = evaluated ? name : null;
  const before = kept(name)?.analysis;
  const same = before?.record?.final.place.chain === record.final.place.chain;
  const analysis = same ? before! : ofRecord(record);
  const played = actionsOf(record).map(({ action }) => action);
  const path = find(treeOf(analysis.nodes)!, played.slice(0, ply));
  show(name, analysis, path?.at(-1) ?? 0);
}
