/** Where an analysis begins: an empty board, an analysis that this browser keeps, or a file. */

import { useState } from "preact/hooks";
import { gameName, titleOf } from "../games/words";
import { SizeChoice } from "../home/NewGame";
import { RecordDrop } from "../replay/RecordDrop";
import { go, toScreen } from "../route";
import { isAway, known } from "../server";
import { recordTitle } from "../room/seated";
import { texts } from "../texts";
import { useTitle } from "../title";
import { analysisPath, forget, kept, names } from "./kept";

export function AnalysesScreen() {
  const { analysis: words } = texts.value;
  useTitle(words.title);
  return (
    <div class="analyses">
      <h1>{words.title}</h1>
      <p class="lead">{words.about}</p>
      <Begin />
      <KeptHere />
      <RecordDrop drop={words.drop} open={words.open} />
    </div>
  );
}

/** Why an analysis cannot be shown, and where to go from here. */
export function Unavailable({ text }: { text: string }) {
  useTitle(texts.value.analysis.title);
  return (
    <p class="banner" role="alert">
      {text}{" "}
      <a class="button" href="#/analysis">
        {texts.value.analysis.others}
      </a>
    </p>
  );
}

/** The form that opens an empty board. It has its place before the server has said which games there are. */
function Begin() {
  const { analysis: words, home } = texts.value;
  const games = known.value?.games ?? [];
  const [name, setName] = useState("");
  const [size, setSize] = useState(0);
  const chosen = games.find(({ game }) => game === name) ?? games[0];
  const wanted = chosen?.sizes.includes(size) ? size : chosen?.default_size;
  const begin = (event: Event) => {
    event.preventDefault();
    if (chosen) go(analysisPath(`${chosen.game}-${wanted}`));
  };
  return (
    <form class="begin" onSubmit={begin}>
      <label>
        {home.game}
        <select
          value={chosen?.game}
          disabled={!chosen}
          onChange={(event) => setName(event.currentTarget.value)}
        >
          {games.map(({ game }) => (
            <option key={game} value={game}>
              {gameName(game)}
            </option>
          ))}
        </select>
      </label>
      <SizeChoice of={chosen} size={wanted} choose={setSize} />
      <button class="primary" disabled={!chosen}>
        {words.start}
      </button>
      {isAway.value && <p>{words.offline}</p>}
    </form>
  );
}

/** What this browser keeps. */
function KeptHere() {
  const { analysis: words } = texts.value;
  const [, redraw] = useState(0);
  const all = names().flatMap((name) => {
    const found = kept(name);
    return found ? [{ name, ...found }] : [];
  });
  return (
    <section class="list" aria-labelledby="kept">
      <h2 id="kept">{words.kept}</h2>
      {all.length === 0 && <p class="empty">{words.noneKept}</p>}
      <ul>
        {all.map(({ name, analysis: { game, size, record, nodes } }) => {
          const title = record ? words.of(recordTitle(record)) : titleOf(game, size);
          return (
            <li key={name}>
              <a href={analysisPath(name)}>{title}</a>
              <span class="names">{words.actions(nodes.length)}</span>
              <button
                class="link"
                aria-label={words.forget(title)}
                onClick={({ currentTarget }) => {
                  refocus(currentTarget.closest("li")!);
                  forget(name);
                  redraw((n) => n + 1);
                }}
              >
                ×
              </button>
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** The row disappears, so the button of its neighbor gets the focus. */
function refocus({ nextElementSibling, previousElementSibling }: Element): void {
  const button = (nextElementSibling ?? previousElementSibling)?.querySelector("button");
  if (button) button.focus();
  else toScreen();
}
