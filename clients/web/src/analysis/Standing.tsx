/** Whose turn it is, and the score. */

import { toAct, turnText } from "../room/plies";
import { texts } from "../texts";
import type { AnalysisTable } from "./table";

export function Standing({ table }: { table: AnalysisTable }) {
  const { colors } = texts.value;
  const position = table.position.value;
  if (!position) return <p class="standing" />;
  const color = toAct(position);
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
