/** Where games are learned: all games, the lessons of one, and one lesson. */

import type { GameDocument } from "@pierule/client";
import { Board } from "../board/Board";
import { failureOf, gameOf } from "../games/documents";
import { textsOf } from "../games/words";
import { Sure } from "../room/Sure";
import { learnPath } from "../route";
import { welcome } from "../server";
import { texts } from "../texts";
import { useTitle } from "../title";
import { PlayFirst } from "./PlayFirst";
import { LessonTable } from "./LessonTable";
import { done, forget, nameOf, progressOf, type Progress } from "./progress";

interface Where {
  game: string | null;
  lesson: string | null;
}

export function LearnScreen({ game, lesson }: Where) {
  const { home, learn, rules } = texts.value;
  const known = welcome.value?.games.map(({ game }) => game) ?? [];
  const found = game !== null && known.includes(game) ? gameOf(game) : null;
  if (game === null) return <Courses games={known} />;
  if (known.length && !known.includes(game))
    return (
      <Nothing>
        <p role="alert">{rules.unknown(game)}</p>
      </Nothing>
    );
  if (!found && failureOf(game))
    return (
      <Nothing>
        <p role="alert">{learn.unread}</p>
      </Nothing>
    );
  if (!found) return <p class="loading">{home.loading}</p>;
  const trees = treesOf(found);
  const at = trees.findIndex((_, at) => nameOf(trees, at) === lesson);
  if (lesson === null) return <Course game={found} />;
  if (at < 0)
    return (
      <Nothing>
        <p role="alert">{learn.noLesson}</p>
      </Nothing>
    );
  return <LessonTable key={`${game}/${lesson}`} game={found} at={at} />;
}

/** The lessons of a game that have words. */
const treesOf = (game: GameDocument) => (game.lessons ?? []).slice(0, textsOf(game).lessons?.length ?? 0);

const progress = (game: GameDocument): Progress => progressOf(done.value, game.game, treesOf(game));

function Nothing({ children }: { children: preact.ComponentChildren }) {
  const { learn } = texts.value;
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

/** All games, and which lesson comes next: of the game that was begun, or of the first one. */
function Courses({ games }: { games: readonly string[] }) {
  const { learn } = texts.value;
  const found = games.map(gameOf).filter((game) => !!game?.lessons?.length) as GameDocument[];
  const open = found.filter((game) => progress(game).next !== null);
  useTitle(learn.title);
  const current = open.find((game) => progress(game).done) ?? open[0];
  return (
    <article class="learn">
      <h1>{learn.title}</h1>
      <p class="lead">{learn.lead}</p>
      {current && <NextLesson game={current} named />}
      <ul class="courses">
        {found.map((game) => (
          <li key={game.game}>
            <a class="course" href={learnPath(game.game)}>
              <span class="sample" aria-hidden="true" inert>
                <Board game={game} size={game.sample.size} cells={game.sample.cells} />
              </span>
              <span class="game-name">{textsOf(game).name}</span>
              <span class="game-about">{textsOf(game).about}</span>
              <Bar game={game} />
            </a>
          </li>
        ))}
      </ul>
    </article>
  );
}

function Bar({ game }: { game: GameDocument }) {
  const { done, marks } = progress(game);
  const text = texts.value.learn.progress(done, marks.length);
  return (
    <span class="progress">
      <progress value={done} max={marks.length} aria-label={text} />
      <span aria-hidden="true">{text}</span>
    </span>
  );
}

/** The way on; `named`: with the name of the game. */
function NextLesson({ game, named = false }: { game: GameDocument; named?: boolean }) {
  const { learn } = texts.value;
  const { next, done } = progress(game);
  if (next === null) return <FirstGame game={game} />;
  const { name, lessons = [] } = textsOf(game);
  const title = named ? `${name}, ${lessons[next]!.title}` : lessons[next]!.title;
  return (
    <p>
      <a class="button primary big" href={learnPath(game.game, nameOf(treesOf(game), next))}>
        {done ? learn.next(title) : learn.start(title)}
      </a>
    </p>
  );
}

function FirstGame({ game }: { game: GameDocument }) {
  return (
    <div class="way">
      <p>{texts.value.learn.allDone}</p>
      <PlayFirst game={game} />
    </div>
  );
}

/** The lessons of one game. */
function Course({ game }: { game: GameDocument }) {
  const { learn } = texts.value;
  const { name, about } = textsOf(game);
  useTitle(`${learn.title}: ${name}`);
  const trees = treesOf(game);
  const { done } = progress(game);
  return (
    <article class="learn">
      <p>
        <a href="#/learn">{learn.title}</a>
      </p>
      <h1>{name}</h1>
      <p class="lead">{about}</p>
      {trees.length ? <Lessons game={game} /> : <p>{learn.none}</p>}
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

/** How far you are, the way on, and all lessons to choose from. */
function Lessons({ game }: { game: GameDocument }) {
  const { learn } = texts.value;
  const { lessons = [] } = textsOf(game);
  const trees = treesOf(game);
  const { marks, next } = progress(game);
  return (
    <>
      <Bar game={game} />
      <NextLesson game={game} />
      <ol class="titles">
        {trees.map((_, at) => (
          <li key={at} class={marks[at] ? "done" : at === next ? "next" : ""}>
            <a href={learnPath(game.game, nameOf(trees, at))}>
              <span class="number" aria-hidden="true">
                {marks[at] ? "✓" : at + 1}
              </span>
              {lessons[at]!.title}
              {marks[at] && <span class="aloud"> ({learn.done})</span>}
            </a>
          </li>
        ))}
      </ol>
    </>
  );
}
