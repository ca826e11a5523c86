/** The rules of each game on one page, with drawn examples. */

import { Board } from "../board/Board";
import { changesOf } from "../board/changes";
import { pointsOf } from "../board/geometry";
import { texts } from "../texts";
import { EXAMPLES, positionOf, type Example } from "./examples";

export function RulesScreen({ game }: { game: string }) {
  const { rules, games } = texts.value;
  const known = Object.keys(EXAMPLES);
  const shown = known.includes(game) ? game : known[0]!;
  const told = rules.games[shown]!;
  return (
    <article class="rules">
      <h1>{rules.title}</h1>
      <nav class="tabs" aria-label={rules.title}>
        {known.map((name) => (
          <a key={name} href={`#/rules/${name}`} aria-current={name === shown ? "page" : undefined}>
            {games[name]?.name}
          </a>
        ))}
      </nav>
      <h2>
        {games[shown]?.name} <small>{told.by}</small>
      </h2>
      <p class="lead">{rules.pie}</p>
      <ol class="text">
        {told.text.map((text) => (
          <li key={text}>{text}</li>
        ))}
      </ol>
      {EXAMPLES[shown]!.map((example, at) => (
        <Shown key={at} game={shown} example={example} caption={told.captions[at] ?? ""} />
      ))}
    </article>
  );
}

function Shown({ game, example, caption }: { game: string; example: Example; caption: string }) {
  const { rules } = texts.value;
  const before = positionOf(game, example.before);
  const after = example.after ? positionOf(game, example.after) : null;
  const action = example.action ?? "";
  return (
    <figure>
      <div class="boards">
        <Board position={before} pointed={new Set(example.pointed)} label={after ? rules.before : caption} />
        {after && (
          <Board
            position={after}
            last={pointsOf(action, after.size)}
            changes={changesOf(before, after, action)}
            label={rules.after}
          />
        )}
      </div>
      <figcaption>{caption}</figcaption>
    </figure>
  );
}
