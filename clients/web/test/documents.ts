/** Small documents of games, for the tests of what is drawn and said from them. */

import type { BoardShape, GameDocument, GameTexts } from "@pierule/client";

const TEXTS: GameTexts = {
  name: "Rocks",
  by: "The tests",
  about: "A game",
  aim: "Aim: more",
  size: "{0} wide",
  pieces: ["black stone", "white stone", "rock", "black tower"],
  phases: {},
  words: { pass: { label: "Pass" }, swap: { label: "Swap them" } },
  numbers: { komi: { label: "Komi", set: "Set komi", shown: "Komi {0}" } },
  changes: [null, "Cut: {0}."],
  result: { ahead: "{0} wins by {4}: {2} to {3}", draw: "A draw: {2} each" },
  refusals: { knot: "{0} would make a knot with {1}", over: "the game is over" },
  rules: ["One."],
};

/** A game on a grid with these boards. */
export function document(
  grid: "square" | "hexagonal",
  boards: BoardShape[],
  more: Partial<GameDocument> = {},
  texts: Partial<GameTexts> = {},
): GameDocument {
  return {
    format: "pierule.game",
    version: 1,
    game: "rocks",
    rules: [1],
    sizes: boards.map(({ size }) => size),
    default_size: boards[0]!.size,
    phases: ["play", "over"],
    board: { grid, surface: "cells", boards },
    pieces: [
      { cell: 1, name: "stone", tint: "black", shape: "disc", glyph: "●", plain: "X" },
      { cell: 2, name: "stone", tint: "white", shape: "disc", glyph: "○", plain: "O" },
      { cell: 6, name: "rock", tint: "neutral", shape: "hexagon", glyph: "▲", plain: "^" },
      { cell: 7, name: "tower", tint: "black", shape: "square", glyph: "■", plain: "B" },
    ],
    changes: [
      { of: [6], to: [7], motion: "claim" },
      { of: [1, 2], to: [1, 2], named: true, motion: "turn" },
    ],
    sample: { size: boards[0]!.size, cells: [] },
    texts: { en: { ...TEXTS, ...texts } },
    ...more,
  };
}
