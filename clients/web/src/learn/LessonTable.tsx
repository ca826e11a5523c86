/** A lesson, played step by step. It needs no server once the page is loaded. */

import type { RoomState } from "@pierule/client";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { announce } from "../announce";
import { Board } from "../board/Board";
import { changesOf } from "../board/changes";
import { pointsOf } from "../board/geometry";
import { playedText, textsOf, wordText } from "../games/words";
import { once } from "../pressing";
import { illegalText } from "../refusals";
import { go, learnPath } from "../route";
import { texts } from "../texts";
import { useTitle } from "../title";
import type { Course } from "./course";
import { Lesson } from "./lesson";
import { PlayFirst } from "./PlayFirst";
import { done, finish, nameOf, nextAfter, progressOf } from "./progress";

/** How long each action of an answer stays on the board, in ms. */
const FRAME = 900;

/** What gets the focus when a step begins: the first button, or else the board. */
const START = [".lesson-table .choice button", ".lesson-table .words button", ".board-box [tabindex='0']"];

interface TableProps {
  course: Course;
  at: number;
}

export function LessonTable({ course, at }: TableProps) {
  const { game, trees } = course;
  const tree = trees[at]!;
  const lesson = useMemo(() => new Lesson(game, tree), [game, tree]);
  const isDone = lesson.isDone.value;
  useEffect(() => {
    if (isDone) finish(game.game, nameOf(trees, at));
  }, [isDone]);
  useStart(lesson);
  return (
    <article
      class="learn playing"
      onKeyDown={(event) => {
        if (event.key === "Escape") lesson.undo();
      }}
    >
      <Head course={course} at={at} lesson={lesson} />
      <div class="lesson-table">
        <Instruction course={course} at={at} lesson={lesson} />
        <LessonBoard course={course} lesson={lesson} />
        <div class="ways-on">
          <Aside course={course} lesson={lesson} />
          {lesson.outcome.value ? (
            <Onward key={`${isDone}`} course={course} at={at} lesson={lesson} />
          ) : (
            <Ways course={course} lesson={lesson} />
          )}
        </div>
      </div>
    </article>
  );
}

interface LessonProps {
  course: Course;
  lesson: Lesson;
}

function Head({ course: { game, trees, said }, at, lesson }: LessonProps & { at: number }) {
  const { learn, lessons } = texts.value;
  const { name } = textsOf(game);
  const [step, steps] = [lesson.step.value + 1, lesson.steps.value];
  const { title } = said[at]!;
  useTitle(title);
  return (
    <header>
      <p class="note">
        <a href={learnPath(game.game)}>{name}</a> · {learn.lesson(at + 1, trees.length)}
        {steps > 1 && ` · ${lessons.step(step, steps)}`}
      </p>
      <h1>{title}</h1>
    </header>
  );
}

/** What to do, or what came of it, on the screen and aloud. */
function Instruction({ course: { game, said }, at, lesson }: LessonProps & { at: number }) {
  const { says } = said[at]!;
  const choice = lesson.outcome.value?.choice;
  const text = says[choice?.says ?? lesson.node.value.says] ?? "";
  const isDone = lesson.isDone.value;
  const position = lesson.position.value;
  const state = { position, result: { winner: position.winner } } as RoomState;
  const ended = position.phase === "over" ? (playedText(textsOf(game), state) ?? "") : "";
  const spoken = `${text} ${ended} ${isDone ? texts.value.lessons.done : ""}`.trim();
  useEffect(() => announce(spoken), [spoken]);
  return (
    <div
      class={choice ? (choice.good === false ? "told wrong" : "told right") : "told"}
      data-longest={longest(Object.values(says))}
    >
      <p class="prompt">{text}</p>
      {ended && <p class="score-line">{ended}</p>}
    </div>
  );
}

const longest = (texts: readonly string[]) =>
  texts.reduce((found, text) => (text.length > found.length ? text : found), "");

/** When a step begins, the focus goes to where it is played. It moves only if nothing else has it: you
 * have just come to this screen, or its button has disappeared. */
function useStart(lesson: Lesson): void {
  const isOpen = !lesson.outcome.value;
  const begun = useRef(false);
  useEffect(() => {
    const { activeElement, body } = document;
    const isFree = activeElement?.id === "main" || (begun.current && activeElement === body);
    begun.current = true;
    if (!isOpen || !isFree) return;
    const found = START.map((where) => document.querySelector<HTMLElement | SVGElement>(where));
    found.find((element) => element)?.focus({ preventScroll: true });
  }, [isOpen]);
}

/** Why a point was not taken. */
function Aside({ course: { game }, lesson }: LessonProps) {
  const aside = lesson.aside.value;
  if (!aside) return null;
  return (
    <p class="refusal" role="alert">
      {(aside.why && illegalText(game, aside.why.rule, aside.why.points)) || texts.value.lessons.aside}
    </p>
  );
}

/** Which board of an answer is shown: one after the other, or the last at once if you want less motion. */
function useFrame(lesson: Lesson): number {
  const outcome = lesson.outcome.value;
  const last = (outcome?.boards.length ?? 1) - 1;
  const [frame, setFrame] = useState(0);
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  useEffect(() => {
    if (!outcome) return setFrame(0);
    setFrame(Math.min(1, last));
  }, [outcome]);
  useEffect(() => {
    if (still || !outcome || frame === 0 || frame >= last) return;
    const timer = setTimeout(() => setFrame(frame + 1), FRAME);
    return () => clearTimeout(timer);
  }, [outcome, frame]);
  return still ? last : Math.min(frame, last);
}

function LessonBoard({ course: { game }, lesson }: LessonProps) {
  const outcome = lesson.outcome.value;
  const aside = lesson.aside.value;
  const frame = useFrame(lesson);
  const { size, cells } = outcome?.boards[frame] ?? lesson.position.value;
  const action = frame ? (outcome?.choice.played[frame - 1]?.action ?? null) : null;
  const before = frame ? (outcome?.boards[frame - 1]?.cells ?? null) : null;
  const changes = useMemo(() => changesOf(game, size, before, cells, action), [game, outcome, frame]);
  return (
    <div class="board-box">
      <Board
        game={game}
        size={size}
        cells={cells}
        last={action === null ? [] : pointsOf(action, size, game.segments ?? false)}
        changes={changes}
        motion={action === null ? null : `${lesson.step.value}.${frame}`}
        targets={outcome ? new Set() : lesson.targets.value}
        hinted={!outcome && lesson.draft.value.picked.length > 0}
        picked={lesson.draft.value.picked}
        pointed={new Set(aside ? [aside.point, ...(aside.why?.points ?? [])] : [])}
        {...(outcome && !lesson.isWrong.value ? {} : { choose: lesson.choose.bind(lesson) })}
      />
    </div>
  );
}

/** The buttons of a step. */
function Ways({ course: { game }, lesson }: LessonProps) {
  const { prompt } = texts.value;
  const { picked } = lesson.draft.value;
  const action = lesson.action.value;
  const words = lesson.words.value;
  const play = (word: string) => once(() => lesson.play(word));
  if (lesson.position.value.phase === "color")
    return (
      <div class="choice">
        {(["black", "white"] as const).map((color) => (
          <button key={color} class={`color ${color}`} data-action={color} onClick={play(color)}>
            <span class={`token ${color}`} aria-hidden="true" />
            {prompt.take(color)}
          </button>
        ))}
      </div>
    );
  return (
    <div class="buttons words">
      {action && (
        <button class="primary" data-action={action} onClick={play(action)}>
          {prompt.play(action)}
        </button>
      )}
      {picked.length > 0 && <button onClick={() => lesson.undo()}>{prompt.undo}</button>}
      {words.map((word) => (
        <button key={word} data-action={word} onClick={play(word)}>
          {wordText(game, word)}
        </button>
      ))}
    </div>
  );
}

/** The button that goes on after something was played. It has the focus, so that Enter presses it. */
function Onward({ course, at, lesson }: LessonProps & { at: number }) {
  const { lessons } = texts.value;
  const primary = useRef<HTMLDivElement>(null);
  useEffect(
    () => primary.current?.querySelector<HTMLElement>(".primary")?.focus({ preventScroll: true }),
    [],
  );
  const good = lesson.outcome.value?.choice.good !== false;
  return (
    <div ref={primary} class="onward">
      {lesson.isDone.value ? (
        <Done course={course} at={at} restart={() => lesson.goOn()} />
      ) : (
        <button class="primary big" onClick={once(() => lesson.goOn())}>
          {good ? lessons.next : lessons.again}
        </button>
      )}
    </div>
  );
}

/** After a lesson: the next one, or after the last one a first game. */
function Done({ course: { game, trees, said }, at, restart }: TableProps & { restart: () => void }) {
  const { learn, lessons } = texts.value;
  const next = nextAfter(progressOf(done.value, game.game, trees), at);
  const isLast = next === null || at === trees.length - 1;
  const toNext = next !== null && (
    <button
      class={isLast ? "" : "primary big"}
      onClick={once(() => go(learnPath(game.game, nameOf(trees, next))))}
    >
      {learn.next(said[next]!.title)}
    </button>
  );
  return (
    <>
      <p class="note">{lessons.done}</p>
      {isLast && <PlayFirst game={game} />}
      {toNext}
      <p class="buttons">
        <button onClick={once(restart)}>{lessons.restart}</button>
        <a class="button" href={learnPath(game.game)}>
          {learn.all}
        </a>
      </p>
    </>
  );
}
