/**
 * Which lessons you have done. This browser keeps them by the names of games and lessons. Pure but for the
 * signal at the end.
 */

import type { LessonTree } from "@pierule/client";
import { signal } from "@preact/signals";
import { load, save } from "../storage";

/** The names of the lessons that are done, by game. */
export type Done = Readonly<Record<string, readonly string[]>>;

/** How far you are with the lessons of a game. */
export interface Progress {
  /** Whether each lesson is done. */
  marks: readonly boolean[];
  done: number;
  /** The first lesson that is not done, or null if all are. */
  next: number | null;
}

/** The name of a lesson; if it has none, its number, from 1 on. */
export const nameOf = (trees: readonly LessonTree[], at: number): string => trees[at]?.name || String(at + 1);

/** What is done, from a stored text, which may be damaged. */
export function readDone(text: string | null): Done {
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? "{}");
  } catch {
    return {};
  }
  if (typeof kept !== "object" || kept === null || Array.isArray(kept)) return {};
  const texts = (of: unknown) =>
    Array.isArray(of) ? of.filter((name): name is string => typeof name === "string") : [];
  return Object.fromEntries(Object.entries(kept).map(([game, names]) => [game, texts(names)]));
}

export const withDone = (done: Done, game: string, lesson: string): Done => ({
  ...done,
  [game]: [...new Set([...(done[game] ?? []), lesson])],
});

export const without = (done: Done, game: string): Done =>
  Object.fromEntries(Object.entries(done).filter(([other]) => other !== game));

/** How far you are. Lessons that the game no longer has do not count. */
export function progressOf(done: Done, game: string, trees: readonly LessonTree[]): Progress {
  const names = new Set(done[game]);
  const marks = trees.map((_, at) => names.has(nameOf(trees, at)));
  const next = marks.indexOf(false);
  return { marks, done: marks.filter(Boolean).length, next: next < 0 ? null : next };
}

/** The lesson after this one: the next that is not done, or else an earlier one; null if all others are
 * done. */
export function nextAfter({ marks }: Progress, at: number): number | null {
  const order = marks.map((_, step) => (at + 1 + step) % marks.length).filter((other) => other !== at);
  return order.find((other) => !marks[other]) ?? null;
}

const KEY = "learned";

export const done = signal<Done>(readDone(load(KEY)));

// Another window may have added lessons, so this reads the stored text again before it changes anything.
function change(to: (done: Done) => Done): void {
  done.value = to(readDone(load(KEY)));
  save(KEY, JSON.stringify(done.value));
}

export const finish = (game: string, lesson: string): void => change((done) => withDone(done, game, lesson));
export const forget = (game: string): void => change((done) => without(done, game));
