/** The rules of each game on one page, with drawn examples. */

import type { GameDocument, Picture } from "@pierule/client";
import { analysisPath } from "../analysis/kept";
import { isArchived } from "../archive/source";
import { Board } from "../board/Board";
import { changesOf } from "../board/changes";
import { pointsOf } from "../board/geometry";
import { failureOf, gameOf } from "../games/documents";
import { GameTabs } from "../games/GameTabs";
import { textsOf } from "../games/words";
import { learnPath } from "../route";
import { known as server } from "../server";
import { texts } from "../texts";
import { useTitle } from "../title";

export function RulesScreen({ game: wanted }: { game: string | null }) {
  const { archive, home, rules } = texts.value;
  const known = server.value?.games.map(({ game }) => game) ?? [];
  const unknown = wanted !== null && known.length > 0 && !known.includes(wanted);
  const shown = unknown ? undefined : (wanted ?? known[0]);
  const game = shown === undefined ? null : gameOf(shown);
  const failed = shown !== undefined && failureOf(shown) !== null;
  useTitle(game ? `${rules.title}: ${textsOf(game).name}` : rules.title);
  return (
    <article class="rules">
      <h1>{rules.title}</h1>
      <GameTabs label={rules.title} games={known} chosen={shown} path={(name) => `#/rules/${name}`} />
      {unknown && <p role="alert">{rules.unknown(wanted)}</p>}
      {game && <Rules game={game} />}
      {!game && !unknown && !failed && <p class="loading">{home.loading}</p>}
      {failed && <p role="alert">{archive.unloaded}</p>}
    </article>
  );
}

function Rules({ game }: { game: GameDocument }) {
  const { name, by, rules, captions = [] } = textsOf(game);
  return (
    <>
      <h2>
        {name} <small>{by}</small>
      </h2>
      <p class="lead">
        {texts.value.rules.pie}{" "}
        {isArchived.value && <a href={`#/cuts/${game.game}`}>{texts.value.archive.cuts.link}</a>}{" "}
        <a href={analysisPath(`${game.game}-${game.default_size}`)}>{texts.value.analysis.board}</a>
      </p>
      {game.lessons_hash && (
        <p>
          <a class="button primary" href={learnPath(game.game)}>
            {texts.value.learn.byDoing}
          </a>
        </p>
      )}
      <ol class="text">
        {rules.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ol>
      {(game.examples ?? []).map((example, at) => (
        <Example key={at} game={game} example={example} caption={captions[at] ?? ""} />
      ))}
    </>
  );
}

interface ExampleProps {
  game: GameDocument;
  example: Picture;
  caption: string;
}

function Example({ game, example, caption }: ExampleProps) {
  const { rules } = texts.value;
  const { size, cells, action = null, changes = [], pointed = [] } = example;
  const after = new Map(changes);
  const then = cells.map((cell, index) => after.get(index) ?? cell);
  return (
    <figure>
      <div class="boards">
        <Board
          game={game}
          size={size}
          cells={cells}
          pointed={new Set(pointed)}
          label={action ? rules.before : caption}
        />
        {action && (
          <Board
            game={game}
            size={size}
            cells={then}
            last={pointsOf(action, size, game.segments ?? false)}
            changes={changesOf(game, size, cells, then, action)}
            label={rules.after}
          />
        )}
      </div>
      <figcaption>{caption}</figcaption>
    </figure>
  );
}
