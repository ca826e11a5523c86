/** What the server's search thinks of the position, of the line, and of the actions that cost most. */

import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { announce } from "../announce";
import { percent } from "../archive/words";
import { isEvaluated, source } from "../archive/source";
import { wordText } from "../games/words";
import { client } from "../server";
import { texts } from "../texts";
import { Curve, type CurveProps } from "./Curve";
import { Expected } from "./Expected";
import { Evaluating } from "./evaluating";
import { takeWish } from "./kept";
import type { Swing } from "./swings";
import { actionsOf } from "./tree";
import "../styles/evaluation.css";

export function Evaluation({ table, game, name }: Omit<CurveProps, "evaluating"> & { name: string }) {
  const { evaluation: words } = texts.value.analysis;
  const evaluating = useMemo(() => new Evaluating(table, { source, client }), [table]);
  useEffect(() => {
    if (takeWish(name)) void evaluating.run();
    return () => evaluating.close();
  }, [evaluating]);
  const section = useShown(evaluating);
  if (!isEvaluated.value) return null;
  const { value: on } = evaluating.on;
  return (
    <section ref={section} class="evaluation" aria-labelledby="evaluation">
      <h2 id="evaluation">{words.title}</h2>
      {!on && <p class="note">{words.about}</p>}
      <Way evaluating={evaluating} />
      {on && <Found {...{ table, game, evaluating }} />}
    </section>
  );
}

/** Brings what you asked for into sight: when it begins, with its curve, and at its end. Whoever has scrolled
 * elsewhere meanwhile stays there. */
function useShown({ on, done, isDone }: Evaluating) {
  const section = useRef<HTMLElement>(null);
  const left = useRef<number | null>(null);
  const stage = [on.value, done.value > 1, isDone.value].lastIndexOf(true);
  useLayoutEffect(() => {
    const main = document.getElementById("main")!;
    if (!on.value || (left.current !== null && left.current !== main.scrollTop)) return;
    section.current?.scrollIntoView({ block: "nearest" });
    left.current = main.scrollTop;
  }, [stage]);
  return section;
}

/** How far the evaluation has come, with buttons to start and stop it. */
function Way({ evaluating }: Pick<CurveProps, "evaluating">) {
  const { analysis, archive } = texts.value;
  const { evaluation: words } = analysis;
  const [done, all] = [evaluating.done.value, evaluating.steps.value.length];
  const { value: trouble } = evaluating.trouble;
  useNews(evaluating);
  return (
    <>
      {evaluating.running.value && done < all && (
        <div class="going">
          <progress value={done} max={all} aria-label={words.progress(done, all)} />
          <button onClick={() => evaluating.stop()}>{words.stop}</button>
        </div>
      )}
      {trouble && (
        <p class="refusal" role="alert">
          {trouble === "playing" ? analysis.playing : words.troubles[trouble]}
        </p>
      )}
      {!evaluating.running.value &&
        !evaluating.isDone.value &&
        trouble !== "unable" &&
        trouble !== "playing" && (
          <div class="buttons">
            <button onClick={() => void evaluating.run()}>{trouble ? archive.again : words.evaluate}</button>
          </div>
        )}
    </>
  );
}

/** Say aloud that a line is evaluated. */
function useNews(evaluating: Evaluating): void {
  const [done, all] = [evaluating.done.value, evaluating.steps.value.length];
  const isWhole = evaluating.on.value && done === all;
  useEffect(() => {
    if (isWhole) announce(texts.value.analysis.evaluation.progress(done, all));
  }, [isWhole]);
}

function Found({ table, game, evaluating }: CurveProps) {
  const { evaluation: words } = texts.value.analysis;
  const isWhole = evaluating.done.value === evaluating.steps.value.length;
  const { value: swings } = evaluating.swings;
  return (
    <>
      <Verdict {...{ table, game, evaluating }} />
      {evaluating.done.value > 1 && <Curve {...{ table, game, evaluating }} />}
      {swings.length > 0 && (
        <>
          <h3>{words.swings}</h3>
          <ol class="swings">
            {swings.map((swing) => (
              <SwingRow key={swing.ply} {...{ table, game, evaluating, swing }} />
            ))}
          </ol>
        </>
      )}
      {isWhole && !swings.length && evaluating.done.value > 1 && <p class="note">{words.noSwings}</p>}
    </>
  );
}

/** Does what a press asks for, and brings the board, on which you see it, into sight. */
const onBoard = (act: () => void) => () => {
  act();
  document.querySelector(".board-box")?.scrollIntoView({ block: "nearest" });
};

/** The evaluation of the position that you look at. Until it is known, its place stays empty. */
function Verdict({ table, game, evaluating }: CurveProps) {
  const { evaluation: words } = texts.value.analysis;
  const { value: here } = evaluating.here;
  return (
    <div class="verdict">
      {here && <Expected of={here} />}
      {here?.best && (
        <div class="best">
          <span>
            {words.best}: <strong>{wordText(game, here.best)}</strong>
          </span>
          <button onClick={onBoard(() => table.play(here.best!))}>{words.playIt}</button>
        </div>
      )}
    </div>
  );
}

/** An action that cost its player much. Buttons lead to it, and to the better action. */
function SwingRow({ table, game, evaluating, swing }: CurveProps & { swing: Swing }) {
  const { evaluation: words } = texts.value.analysis;
  const { value: line } = evaluating.line;
  const [from, to] = [line[swing.ply]!, line[swing.ply + 1]!];
  const [played] = actionsOf(table.tree.value, [to]);
  const better = wordText(game, swing.best);
  return (
    <li>
      <button class="link" onClick={onBoard(() => table.go(to))}>
        {words.played(swing.ply + 1, wordText(game, played!))}
      </button>
      <span>{words.better(better, percent(swing.after), percent(swing.before))}</span>
      <button
        aria-label={words.tryIt(better, swing.ply + 1)}
        onClick={onBoard(() => {
          table.go(from);
          table.play(swing.best);
        })}
      >
        {words.show}
      </button>
    </li>
  );
}
