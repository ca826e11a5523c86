/** The curve of a line as a table, which is drawn when you open it. */

import { useState } from "preact/hooks";
import { percent } from "../archive/words";
import { wordText } from "../games/words";
import { texts } from "../texts";
import type { CurveProps } from "./Curve";
import { forSeat, seatOf } from "./swings";
import { nodeOf } from "./tree";

export function CurveTable(props: CurveProps) {
  const { evaluation: words } = texts.value.analysis;
  const [open, setOpen] = useState(false);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.table}</summary>
      {open && (
        <div class="rows" tabIndex={0} role="group" aria-label={words.table}>
          <table>
            <thead>
              <tr>
                <th scope="col">{words.action}</th>
                <th scope="col">{words.share(nameOf(props))}</th>
                <th scope="col">{words.best}</th>
              </tr>
            </thead>
            <tbody>
              {props.evaluating.line.value.map((id, ply) => (
                <Row key={id} {...props} id={id} ply={ply} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </details>
  );
}

/** Whose curve it is: Black's, or the first player's before there are colors. */
function nameOf({ evaluating }: CurveProps): string {
  const { colors, room } = texts.value;
  return evaluating.steps.value.some(({ here }) => here?.black != null) ? colors.black : room.first;
}

function Row({ table, game, evaluating, id, ply }: CurveProps & { id: number; ply: number }) {
  const { value: steps } = evaluating.steps;
  const here = steps[ply]?.here;
  const { action } = nodeOf(table.tree.value, id);
  return (
    <tr aria-current={id === table.at.value ? "true" : undefined}>
      <th scope="row">
        <button class="link" onClick={() => table.go(id)}>
          {ply ? `${ply} ${wordText(game, action)}` : texts.value.analysis.opening}
        </button>
      </th>
      <td>{here ? percent(forSeat(seatOf(steps), here.expected)) : "–"}</td>
      <td>{here?.best ? wordText(game, here.best) : "–"}</td>
    </tr>
  );
}
