/** The boards of the rules pages: those that the SPEC shows, sections 11 to 13. */

import type { PositionState } from "@pierule/client";

const CELLS = ".bwsBW";

/** A position for drawing alone: rows as in a position's text, the highest first. */
export function positionOf(game: string, board: string): PositionState {
  const rows = board.split("/");
  const cells = [...rows].reverse().flatMap((row) => [...row].map((cell) => CELLS.indexOf(cell)));
  return {
    game,
    size: rows.length,
    phase: "play",
    to_act: null,
    black: null,
    komi: null,
    passes: 0,
    score: [0, 0],
    winner: null,
    cells,
  };
}

export interface Example {
  before: string;
  /** The action between the two, if there is one, and the board after it. */
  action?: string;
  after?: string;
  pointed?: string[];
}

/** By game, in the order of their captions. */
export const EXAMPLES: Record<string, Example[]> = {
  loose: [
    { before: "...../...../...../...../wb...", action: "a2", after: "...../...../...../b..../bb..." },
    { before: "...../...../..b../bw.../.w...", pointed: ["a1"] },
  ],
  veletas: [
    {
      before: "w....../...s.../......./.....s./..s..../......./b......",
      action: "f4-d4/e4",
      after: "w....../...s.../......./...sb../..s..../......./b......",
    },
  ],
  taugo: [
    {
      before: "....../.w.bb./...b../...bw./...bw./......",
      action: "b3-d3",
      after: "....../.w.bb./...b../.wwww./...bw./......",
    },
  ],
};
