/** The filters of the archive. The address keeps what you choose. */

import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { gameName, sizeText } from "../games/words";
import type { Search } from "../route";
import { welcome } from "../server";
import { texts } from "../texts";
import { isBackward, ratingOf } from "./searching";

export interface FiltersProps {
  search: Search;
  refine: (search: Search) => void;
}

interface ChoiceProps extends FiltersProps {
  name: string;
  label: string;
  options: readonly (readonly [value: string, text: string])[];
  /** What it shows while nothing is chosen. */
  none?: string;
}

/** A choice among options. If the address asks for something else, it shows that, too. */
export function Choice({ search, refine, name, label, options, none }: ChoiceProps) {
  const asked = search[name] ?? "";
  const known = !asked || options.some(([value]) => value === asked);
  return (
    <label>
      {label}
      <select value={asked} onChange={(event) => refine({ ...search, [name]: event.currentTarget.value })}>
        <option value="">{none ?? texts.value.archive.filters.any}</option>
        {(known ? options : [...options, [asked, asked] as const]).map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </label>
  );
}

/** The days or months between which games ended. If they are the wrong way around, the second field says
 * so. */
export function Between({ type, ...props }: FiltersProps & { type: "date" | "month" }) {
  const { filters } = texts.value.archive;
  const labels = type === "month" ? [filters.sinceMonth, filters.untilMonth] : [filters.since, filters.until];
  const wrong = isBackward(props.search) ? filters.backward : null;
  return (
    <>
      <Day {...props} type={type} name="since" label={labels[0]!} />
      <Day {...props} type={type} name="until" label={labels[1]!} wrong={wrong} />
    </>
  );
}

interface DayProps extends FiltersProps {
  name: string;
  label: string;
  type: "date" | "month";
  /** Why it cannot be. */
  wrong?: string | null;
}

/** A day or a month. In browsers without fields for months it is a text. */
function Day({ search, refine, name, label, type, wrong }: DayProps) {
  const hint = type === "month" ? texts.value.archive.filters.monthHint : undefined;
  return (
    <label>
      {label}
      <input
        type={type}
        value={search[name] ?? ""}
        min={type === "month" ? "2020-01" : "2020-01-01"}
        pattern={type === "month" ? "\\d{4}-(0[1-9]|1[0-2])" : undefined}
        placeholder={hint}
        aria-invalid={wrong ? true : undefined}
        onChange={({ currentTarget }) => {
          if (currentTarget.reportValidity()) refine({ ...search, [name]: currentTarget.value });
        }}
      />
      {wrong && (
        <span class="refusal" role="alert">
          {wrong}
        </span>
      )}
    </label>
  );
}

export function BotChoice(props: FiltersProps) {
  const { filters } = texts.value.archive;
  return <Choice {...props} name="bot" label={filters.bots} options={Object.entries(filters.bot)} />;
}

const RATINGS = [1400, 1600, 1800];

/** The least rating of both players before the game. */
export function RatingChoice({ search, refine }: FiltersProps) {
  const { filters } = texts.value.archive;
  const asked = ratingOf(search);
  const ratings = asked === null ? RATINGS : [...new Set([...RATINGS, asked])].sort((a, b) => a - b);
  return (
    <Choice
      search={{ ...search, rating: asked === null ? "" : `${asked}` }}
      refine={refine}
      name="rating"
      label={filters.rating}
      options={ratings.map((rating) => [`${rating}`, filters.atLeast(`${rating}`)] as const)}
    />
  );
}

/** The filters for games: `of` a player, or of all players. */
export function Filters({ of, ...props }: FiltersProps & { of: "player" | "all" }) {
  const { archive, home } = texts.value;
  const { filters } = archive;
  const { results } = filters;
  const { search, refine } = props;
  const seats = of === "player" ? (["won", "lost"] as const) : (["0", "1"] as const);
  return (
    <Folded search={search}>
      {of === "all" && <Player {...props} />}
      <GameChoice {...props} />
      <Choice
        {...props}
        name="result"
        label={filters.result}
        options={[...seats, "draw" as const, "none" as const].map((each) => [each, results[each]])}
      />
      <Choice {...props} name="category" label={home.clock} options={Object.entries(filters.categories)} />
      <BotChoice {...props} />
      <RatingChoice {...props} />
      <Between {...props} type="date" />
      {Object.values(search).some(Boolean) && (
        <button
          type="button"
          onClick={({ currentTarget }) => {
            currentTarget.closest("fieldset")?.querySelector("select")?.focus(); // the button disappears
            refine({});
          }}
        >
          {home.showAll}
        </button>
      )}
    </Folded>
  );
}

/** Where filters have room beside each other. */
const ROOMY = "(min-width: 40rem)";

/** Filters. On a phone they are folded away, so that they do not hide what they find, until you filter. */
export function Folded({ search, children }: { search: Search; children: ComponentChildren }) {
  const { title } = texts.value.archive.filters;
  const roomy = useMemo(() => matchMedia(ROOMY).matches, []);
  return (
    <details class="filters" open={roomy || Object.values(search).some(Boolean)}>
      <summary>{title}</summary>
      <fieldset class="fields">
        <legend class="aloud">{title}</legend>
        {children}
      </fieldset>
    </details>
  );
}

/** Which game, and which size of it. */
function GameChoice({ search, refine }: FiltersProps) {
  const { home } = texts.value;
  const games = welcome.value?.games ?? [];
  const chosen = games.find(({ game }) => game === search.game);
  const sizes = [...(chosen?.sizes ?? [])].sort((a, b) => a - b);
  return (
    <>
      <Choice
        search={search}
        refine={(wanted) => refine({ ...wanted, size: "" })}
        name="game"
        label={home.game}
        options={games.map(({ game }) => [game, gameName(game)])}
        none={home.anyGame}
      />
      {chosen && (
        <Choice
          search={search}
          refine={refine}
          name="size"
          label={home.size}
          options={sizes.map((size) => [`${size}`, sizeText(chosen.game, size)])}
        />
      )}
    </>
  );
}

function Player({ search, refine }: FiltersProps) {
  const { filters } = texts.value.archive;
  const field = useRef<HTMLInputElement>(null);
  const name = search.player ?? "";
  useEffect(() => void (field.current!.value = name), [name]);
  return (
    <form
      class="find"
      onSubmit={(event) => {
        event.preventDefault();
        const found = new FormData(event.currentTarget).get("player");
        refine({ ...search, player: String(found).trim() });
      }}
    >
      <label>
        {filters.player}
        <input ref={field} name="player" placeholder={filters.playerHint} maxLength={64} autocomplete="off" />
      </label>
      <button>{filters.find}</button>
    </form>
  );
}
