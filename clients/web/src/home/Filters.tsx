/** The filters for the lists of others' games. */

import { useRef } from "preact/hooks";
import { gameName } from "../games/words";
import { choice, choose } from "../lobby";
import { welcome } from "../server";
import { texts } from "../texts";
import { ALL, KINDS, type Kind } from "./finding";

export function Filters() {
  const { home } = texts.value;
  const first = useRef<HTMLSelectElement>(null);
  const { game, kind } = choice.value;
  return (
    <fieldset class="fields filters">
      <legend class="aloud">{home.others}</legend>
      <label>
        {home.game}
        <select
          ref={first}
          value={game ?? ""}
          onChange={({ currentTarget: { value } }) => choose(chosen(value || null, kind))}
        >
          <option value="">{home.anyGame}</option>
          {welcome.value?.games.map(({ game }) => (
            <option key={game} value={game}>
              {gameName(game)}
            </option>
          ))}
        </select>
      </label>
      <KindFilter />
      {choice.value !== ALL && (
        <button
          type="button"
          onClick={() => {
            choose(ALL);
            first.current?.focus(); // the button disappears
          }}
        >
          {home.showAll}
        </button>
      )}
    </fieldset>
  );
}

function KindFilter() {
  const { home } = texts.value;
  const { game, kind } = choice.value;
  return (
    <label>
      {home.show}
      <select value={kind} onChange={({ currentTarget: { value } }) => choose(chosen(game, value as Kind))}>
        {(Object.keys(KINDS) as Kind[]).map((kind) => (
          <option key={kind} value={kind}>
            {home.kinds[kind]}
          </option>
        ))}
      </select>
    </label>
  );
}

const chosen = (game: string | null, kind: Kind) => (game || kind !== ALL.kind ? { game, kind } : ALL);
