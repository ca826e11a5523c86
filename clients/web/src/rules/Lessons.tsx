/** The lessons of a game, to be played step by step. They need no server once the page is there. */

import type { GameDocument, LessonTree } from "@pierule/client";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { Board } from "../board/Board";
import { changesOf } from "../board/changes";
import { pointsOf } from "../board/geometry";
import { textsOf, wordText } from "../games/words";
import { once } from "../pressing";
import { illegalText } from "../refusals";
import { texts } from "../texts";
import { Lesson } from "./lesson";

export function Lessons({ game }: { game: GameDocument }) {
  const { lessons } = texts.value;
  const told = textsOf(game).lessons ?? [];
  const [shown, show] = useState<number | null>(null);
  const trees = (game.lessons ?? []).slice(0, told.length);
  if (!trees.length) return null;
  return (
    <section class="lessons" aria-labelledby="lessons">
      <h2 id="lessons">{lessons.title}</h2>
      {trees.map((tree, at) => (
        <div class="lesson" key={at}>
          <button aria-expanded={shown === at} onClick={() => show(shown === at ? null : at)}>
            {told[at]!.title}
          </button>
          {shown === at && <Played game={game} tree={tree} says={told[at]!.says} />}
        </div>
      ))}
    </section>
  );
}

interface PlayedProps {
  game: GameDocument;
  tree: LessonTree;
  says: Record<string, string>;
}

function Played({ game, tree, says }: PlayedProps) {
  const lesson = useMemo(() => new Lesson(game, tree), [game, tree]);
  const { lessons } = texts.value;
  const choice = lesson.outcome.value?.choice;
  const aside = lesson.aside.value;
  const opened = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => opened.current?.parentElement?.scrollIntoView(), []);
  return (
    <div
      ref={opened}
      class="lesson-table"
      onKeyDown={(event) => {
        if (event.key === "Escape") lesson.undo();
      }}
    >
      <p class="note">{lessons.step(lesson.step.value + 1, lesson.steps.value)}</p>
      <p class={choice?.good === false ? "refusal" : "prompt"} role="status">
        {says[choice?.says ?? lesson.node.value.says]}
      </p>
      <LessonBoard game={game} lesson={lesson} />
      {aside && (
        <p class="refusal" role="alert">
          {(aside.why && illegalText(game, aside.why.rule, aside.why.points)) || lessons.aside}
        </p>
      )}
      <Buttons game={game} lesson={lesson} />
    </div>
  );
}

interface LessonProps {
  game: GameDocument;
  lesson: Lesson;
}

function LessonBoard({ game, lesson }: LessonProps) {
  const outcome = lesson.outcome.value;
  const aside = lesson.aside.value;
  const { size, cells } = lesson.position.value;
  const last = outcome?.choice.played.at(-1)?.action ?? null;
  const changes = useMemo(
    () => changesOf(game, size, outcome?.before.cells ?? null, cells, last),
    [game, outcome],
  );
  return (
    <div class="board-box">
      <Board
        game={game}
        size={size}
        cells={cells}
        last={last === null ? [] : pointsOf(last, size, game.segments ?? false)}
        changes={changes}
        motion={outcome && String(lesson.step.value)}
        targets={outcome ? new Set() : lesson.targets.value}
        hinted={!outcome && lesson.draft.value.picked.length > 0}
        picked={lesson.draft.value.picked}
        pointed={new Set(aside ? [aside.point, ...(aside.why?.points ?? [])] : [])}
        {...(outcome ? {} : { choose: (point: string) => lesson.choose(point) })}
      />
    </div>
  );
}

function Buttons({ game, lesson }: LessonProps) {
  const { lessons, prompt } = texts.value;
  const next = useRef<HTMLButtonElement>(null);
  const outcome = lesson.outcome.value;
  useEffect(() => next.current?.focus({ preventScroll: true }), [outcome]);
  if (!outcome)
    return (
      <div class="buttons">
        {lesson.action.value && (
          <button class="primary" onClick={once(() => lesson.play(lesson.action.value!))}>
            {prompt.play(lesson.action.value)}
          </button>
        )}
        {lesson.draft.value.picked.length > 0 && <button onClick={() => lesson.undo()}>{prompt.undo}</button>}
        {lesson.words.value.map((word) => (
          <button key={word} onClick={once(() => lesson.play(word))}>
            {wordText(game, word)}
          </button>
        ))}
      </div>
    );
  const label = outcome.choice.good === false ? lessons.again : lessons.next;
  return (
    <>
      {lesson.isDone.value && <p class="note">{lessons.done}</p>}
      <div class="buttons">
        <button ref={next} class="primary" onClick={once(() => lesson.goOn())}>
          {lesson.isDone.value ? lessons.restart : label}
        </button>
      </div>
    </>
  );
}
