/** The evaluations of a line as a curve. You can step along it. */

import type { GameDocument } from "@pierule/client";
import { wordText } from "../games/words";
import { texts } from "../texts";
import { CurveTable } from "./CurveTable";
import type { Evaluating } from "./evaluating";
import { wordsOf } from "./Expected";
import { forSeat, seatOf } from "./swings";
import type { AnalysisTable } from "./table";
import { nodeOf } from "./tree";

export interface CurveProps {
  table: AnalysisTable;
  game: GameDocument;
  evaluating: Evaluating;
}

const WIDTH = 320;
const HEIGHT = 96;
const y = (share: number) => (1 - share) * HEIGHT;

export function Curve(props: CurveProps) {
  return (
    <div class="trend">
      <Drawing {...props} />
      <Slider {...props} />
      <CurveTable {...props} />
    </div>
  );
}

function Drawing({ evaluating }: CurveProps) {
  const { value: steps } = evaluating.steps;
  const { value: ply } = evaluating.ply;
  const last = Math.max(1, steps.length - 1);
  const seat = seatOf(steps);
  const shares = steps.map(({ here }) => here && forSeat(seat, here.expected));
  const x = (at: number) => (at / last) * WIDTH;
  const edge = (part: readonly number[]) => part.map((at) => `${x(at)} ${y(shares[at]!)}`).join("L");
  const at = shares[ply] ?? null;
  return (
    <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} aria-hidden="true">
      {parts(shares).map((part) => (
        <g key={part[0]}>
          <path class="area" d={`M${x(part[0]!)} ${HEIGHT}L${edge(part)}L${x(part.at(-1)!)} ${HEIGHT}Z`} />
          <path class="edge" d={`M${edge(part)}`} />
        </g>
      ))}
      <line class="half" x1={0} x2={WIDTH} y1={HEIGHT / 2} y2={HEIGHT / 2} />
      {evaluating.swings.value.map(({ ply: there }) => (
        <circle key={there} class="swing" cx={x(there)} cy={y(shares[there] ?? 0.5)} r={4} />
      ))}
      <line class="here" x1={x(ply)} x2={x(ply)} y1={0} y2={HEIGHT} />
      {at !== null && <circle class="here" cx={x(ply)} cy={y(at)} r={4} />}
    </svg>
  );
}

/** The plies of a line whose share is known, cut into parts at the gaps. */
function parts(shares: readonly (number | null)[]): number[][] {
  const found: number[][] = [];
  for (const [ply, share] of shares.entries()) {
    if (share === null) continue;
    if (found.at(-1)?.at(-1) === ply - 1) found.at(-1)!.push(ply);
    else found.push([ply]);
  }
  return found;
}

/** The slider that steps along the curve, by finger or by keys. Screen readers say what stands there. */
function Slider({ table, game, evaluating }: CurveProps) {
  const { analysis } = texts.value;
  const { value: steps } = evaluating.steps;
  const { value: ply } = evaluating.ply;
  const { value: line } = evaluating.line;
  if (steps.length < 2) return null;
  const { action } = nodeOf(table.tree.value, line[ply]!);
  const where = ply ? analysis.node(ply, wordText(game, action)) : analysis.opening;
  const here = steps[ply]?.here;
  return (
    <input
      type="range"
      min={0}
      max={steps.length - 1}
      value={ply}
      aria-label={analysis.evaluation.along}
      aria-valuetext={`${where}. ${here ? wordsOf(here) : analysis.evaluation.unknown}`}
      onInput={(event) => table.go(line[Number(event.currentTarget.value)]!)}
    />
  );
}
