/** Where people learn games: all games, the lessons of a game, and a lesson. */

import { Board } from "../board/Board";
import { textsOf } from "../games/words";
import { Sure } from "../room/Sure";
import { learnPath } from "../route";
import { isAway, known as server } from "../server";
import { texts } from "../texts";
import { useTitle } from "../title";
import { courseOf, type Course } from "./course";
import { PlayFirst } from "./PlayFirst";
import { LessonTable } from "./LessonTable";
import { done, forget, nameOf, progressOf, type Progress } from "./progress";

interface Where {
  game: string | null;
  lesson: string | null;
}

export function LearnScreen({ game, lesson }: Where) {
  const { home, learn, rules } = texts.value;
  const known = server.value?.games.map(({ game }) => game) ?? [];
  const course = game !== null && known.includes(game) ? courseOf(game) : null;
  if (game === null) return <Courses games={known} />;
  if (known.length && !known.includes(game))
    return (
      <Nothing>
        <p role="alert">{rules.unknown(game)}</p>
      </Nothing>
    );
  if (course instanceof Error)
    return (
      <Nothing>
        <p role="alert">{learn.unread}</p>
      </Nothing>
    );
  if (!course) return <p class="loading">{home.loading}</p>;
  const { trees } = course;
  const at = trees.findIndex((_, at) => nameOf(trees, at) === lesson);
  if (lesson === null) return <Lessons course={course} />;
  if (at < 0)
    return (
      <Nothing>
        <p role="alert">{learn.noLesson}</p>
      </Nothing>
    );
  return <LessonTable key={`${game}/${lesson}`} course={course} at={at} />;
}

const progress = ({ game, trees }: Course): Progress => progressOf(done.value, game.game, trees);

function Nothing({ children }: { children: preact.ComponentChildren }) {
  const { learn } = texts.value;
  useTitle(learn.title);
  return (
    <article class="learn">
      <h1>{learn.title}</h1>
      {children}
      <p>
        <a class="button" href="#/learn">
          {learn.all}
        </a>
      </p>
    </article>
  );
}

/** All games, and the next lesson: of a game that you have begun, or of the first one. They come together,
 * so that none pushes another; without a connection, those that you have opened before. */
function Courses({ games }: { games: readonly string[] }) {
  const { home, learn } = texts.value;
  const all = games.map(courseOf);
  useTitle(learn.title);
  const waits = !all.length || all.includes(null);
  return (
    <article class="learn">
      <h1>{learn.title}</h1>
      <p class="lead">{learn.lead}</p>
      {(!waits || isAway.value) && <Found all={all} />}
      {waits && <p class="loading">{home.loading}</p>}
    </article>
  );
}

function Found({ all }: { all: ReturnType<typeof courseOf>[] }) {
  const found = all.filter(
    (course): course is Course => !!course && "trees" in course && !!course.trees.length,
  );
  const open = found.filter((course) => progress(course).next !== null);
  const current = open.find((course) => progress(course).done) ?? open[0];
  return (
    <>
      {current && <NextLesson course={current} named />}
      {all.some((course) => course instanceof Error) && <p role="alert">{texts.value.learn.unread}</p>}
      <ul class="courses">
        {found.map((course) => (
          <CourseCard key={course.game.game} course={course} />
        ))}
      </ul>
    </>
  );
}

interface Props {
  course: Course;
}

function CourseCard({ course }: Props) {
  const { game } = course;
  return (
    <li>
      <a class="course" href={learnPath(game.game)}>
        <span class="sample" aria-hidden="true" inert>
          <Board bare game={game} size={game.sample.size} cells={game.sample.cells} />
        </span>
        <span class="game-name">{textsOf(game).name}</span>
        <span class="game-about">{textsOf(game).about}</span>
        <Bar course={course} />
      </a>
    </li>
  );
}

function Bar({ course }: Props) {
  const { done, marks } = progress(course);
  const text = texts.value.learn.progress(done, marks.length);
  return (
    <span class="progress">
      <progress value={done} max={marks.length} aria-label={text} />
      <span aria-hidden="true">{text}</span>
    </span>
  );
}

/** The link to the next lesson; `named`: with the name of the game. */
function NextLesson({ course, named = false }: Props & { named?: boolean }) {
  const { learn } = texts.value;
  const { game, trees, said } = course;
  const { next, done } = progress(course);
  if (next === null) return <FirstGame course={course} />;
  const { title: only } = said[next]!;
  const title = named ? `${textsOf(game).name}, ${only}` : only;
  return (
    <p>
      <a class="button primary big" href={learnPath(game.game, nameOf(trees, next))}>
        {done ? learn.next(title) : learn.start(title)}
      </a>
    </p>
  );
}

function FirstGame({ course: { game } }: Props) {
  return (
    <div class="way">
      <p>{texts.value.learn.allDone}</p>
      <PlayFirst game={game} />
    </div>
  );
}

/** The lessons of one game. */
function Lessons({ course }: Props) {
  const { learn } = texts.value;
  const { game, trees } = course;
  const { name, about } = textsOf(game);
  useTitle(`${learn.title}: ${name}`);
  const { done } = progress(course);
  return (
    <article class="learn">
      <p>
        <a href="#/learn">{learn.title}</a>
      </p>
      <h1>{name}</h1>
      <p class="lead">{about}</p>
      {trees.length ? <Titles course={course} /> : <p>{learn.none}</p>}
      <p class="buttons">
        <a class="button" href={`#/rules/${game.game}`}>
          {learn.rules}
        </a>
      </p>
      {done > 0 && (
        <Sure label={learn.again} question={learn.sure} yes={learn.again} act={() => forget(game.game)} />
      )}
    </article>
  );
}

/** How far you are, the next lesson, and all lessons. */
function Titles({ course }: Props) {
  const { learn } = texts.value;
  const { game, trees, said } = course;
  const { marks, next } = progress(course);
  return (
    <>
      <Bar course={course} />
      <NextLesson course={course} />
      <ol class="titles">
        {trees.map((_, at) => (
          <li key={at} class={marks[at] ? "done" : at === next ? "next" : ""}>
            <a href={learnPath(game.game, nameOf(trees, at))}>
              <span class="number" aria-hidden="true">
                {marks[at] ? "✓" : at + 1}
              </span>
              {said[at]!.title}
              {marks[at] && <span class="aloud"> ({learn.done})</span>}
            </a>
          </li>
        ))}
      </ol>
    </>
  );
}
