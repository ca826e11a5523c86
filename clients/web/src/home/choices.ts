/** What somebody chose for their last game: the page offers it again. */

import type { GameOptions } from "@pierule/client";
import { signal } from "@preact/signals";
import { load, save } from "../storage";
import { CLOCKS } from "./options";

export interface Choices {
  game: string;
  /** By game. */
  sizes: Readonly<Record<string, number>>;
  /** The index of the clock in `CLOCKS`. */
  clock: number;
}

/** The choices in a stored text, which may be from an older page, or damaged. Pure. */
export function choicesOf(text: string | null): Choices {
  let kept: Partial<Choices> | null = null;
  try {
    kept = JSON.parse(text ?? "null") as Partial<Choices> | null;
  } catch {} // treated as if there were none
  const { game, sizes, clock } = kept ?? {};
  return {
    game: typeof game === "string" ? game : "",
    sizes: sizes !== null && typeof sizes === "object" ? sizes : {},
    clock: typeof clock === "number" && clock in CLOCKS ? clock : 0,
  };
}

export const choices = signal<Choices>(choicesOf(load("choices")));

export function choose(some: Partial<Choices>): void {
  choices.value = { ...choices.value, ...some };
  save("choices", JSON.stringify(choices.value));
}

/** The size to offer: that of the last time, or the smallest, on which a first game is short. */
export function sizeOf({ game, sizes }: GameOptions, chosen: Choices["sizes"]): number {
  const last = chosen[game];
  return last !== undefined && sizes.includes(last) ? last : Math.min(...sizes);
}
