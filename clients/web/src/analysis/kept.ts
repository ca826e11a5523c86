/** The analyses that this browser keeps, by name: the latest ones. */

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
  /** The number of the node that you last looked at. */
  at: number;
}

/** The open analysis, even if it is too large to be kept. */
let open: { name: string; kept: Kept } | null = null;

const NAME = /^[a-z0-9_-]{1,60}$/;
const place = (name: string): string => `analysis.${name}`;

/** The names of the kept analyses, the latest first. */
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

/** Whether nothing is lost with an analysis: it has only the actions of a game, and no notes. */
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

/** Open the analysis in this text. If it is kept already, open that, with your changes since. */
export function receive(kind: "file" | "link", text: string, analysis: Analysis): void {
  const name = `${kind}-${crc32(text).toString(16)}`;
  if (!kept(name)) keep(name, { analysis, at: 0 });
  // Going back must not lead to the link, which would bring you here again.
  if (kind === "link") location.replace(analysisPath(name));
  else go(analysisPath(name));
}

/** The name of the analysis to evaluate as soon as it is open. */
let wish: string | null = null;

/** Whether to evaluate this analysis now. Only the first call says so. */
export function takeWish(name: string): boolean {
  const isWished = wish === name;
  wish = null;
  return isWished;
}

/** Open the analysis of a recorded game at a ply. If you have analyzed it before, your notes are still
 * there. */
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
