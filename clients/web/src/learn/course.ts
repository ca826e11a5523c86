/** A game with its lessons, in the chosen language. */

import type { GameDocument, LessonTexts, LessonTree } from "@pierule/client";
import { failureOf, gameOf, lessonsFailure, lessonsOf } from "../games/documents";
import { language } from "../settings";

export interface Course {
  game: GameDocument;
  /** The lessons that have texts, and the texts of each. */
  trees: readonly LessonTree[];
  said: readonly LessonTexts[];
}

/** The course of a game; null until it is loaded, or an error if it cannot be. */
export function courseOf(name: string): Course | Error | null {
  const game = gameOf(name);
  if (!game) return failureOf(name);
  if (!game.lessons_hash) return { game, trees: [], said: [] };
  const lessons = lessonsOf(game);
  if (!lessons) return lessonsFailure(name);
  const said = lessons.texts[language.value] ?? lessons.texts.en ?? [];
  return { game, trees: lessons.lessons.slice(0, said.length), said };
}
