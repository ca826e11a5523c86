/** Whose turn it is, and the score. */

import type { PositionState } from "@pierule/client";
import { colorOf, type Color } from "../room/seats";
import { texts } from "../texts";
import type { AnalysisTable } from "./table";

/** The color that acts next; null before the colors are chosen, and when the game is over. */
const acting = ({ to_act, black }: PositionState): Color | null =>
  to_act === null ? null : colorOf(black, to_act);

export function turnText(position: PositionState): string {
  const { analysis: words, colors, room } = texts.value;
  if (position.to_act === null) return words.over;
  const color = acting(position);
  return words.toAct(color ? colors[color] : position.to_act ? room.second : room.first);
}

export function Standing({ table }: { table: AnalysisTable }) {
  const { colors } = texts.value;
  const position = table.position.value;
  if (!position) return <p class="standing" />;
  const color = acting(position);
  const scores = position.black === null ? [] : position.score;
  return (
    <p class="standing">
      <span class={`token ${color ?? "none"}`} aria-hidden="true" />
      <span class="turn">{turnText(position)}</span>
      {scores.map((score, at) => (
        <span key={at} class="points">
          {at ? colors.white : colors.black} <b>{score}</b>
        </span>
      ))}
    </p>
  );
}
