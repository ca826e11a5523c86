/** A small picture of each game, drawn by the board itself. */

import { Board } from "../board/Board";
import { positionOf } from "../rules/examples";

const SAMPLES: Record<string, string> = {
  loose: "...w./.bbw./.bww./bb.w./..b..",
  veletas: "w..s./.s.b./..wb./.W.w./b...s",
  taugo: "....../.w.bb./.w.b../.wwww./...bw./......",
};

/** Decoration: what it shows is told by the text beside it. */
export function Sample({ game }: { game: string }) {
  const board = SAMPLES[game];
  if (!board) return null;
  return (
    <span class="sample" aria-hidden="true" inert>
      <Board position={positionOf(game, board)} />
    </span>
  );
}
