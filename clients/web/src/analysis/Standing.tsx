/** Whose turn it is, and how the score stands. */

import type { PositionState } from "@pierule/client";
import { texts } from "../texts";
import type { AnalysisTable } from "./table";

type Color = "black" | "white";

/** The color that acts next; null before the colors are chosen, and when the game is over. */
function colorOf({ to_act, black }: PositionState): Color | null {
  if (to_act === null || black === null) return null;
  return to_act === black ? "black" : "white";
}

export function turnText(position: PositionState): string {
  const { analysis: words, colors, room } = texts.value;
  if (position.to_act === null) return words.over;
  const color = colorOf(position);
  return words.toAct(color ? colors[color] : position.to_act ? room.second : room.first);
}

export function Standing({ table }: { table: AnalysisTable }) {
  const { colors } = texts.value;
  const position = table.position.value;
  if (!position) return <p class="standing" />;
  const color = colorOf(position);
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
