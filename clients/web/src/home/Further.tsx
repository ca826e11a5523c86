/** What else you can choose for a new game, and whom you can challenge to it. Loaded when you open it. */

import type { ComponentChildren } from "preact";
import { named } from "../account/account";
import { isArchived } from "../archive/source";
import { ratedFrom } from "../notices";
import { ratesBots } from "../server";
import { texts } from "../texts";
import { Challenge } from "./Challenge";
import type { Options, Wanted } from "./NewGame";
import { RANGES } from "./options";

const ACCESS = ["public", "unlisted", "private"] as const satisfies Options["access"][];
const WISHES = ["either", "yes", "no"] as const satisfies Options["rated"][];
const DELAYS = [0, 1, 2, 5, 10, 20, 50];

interface MoreProps {
  options: Options;
  choose: (options: Options) => void;
}

export interface ChoicesProps extends MoreProps {
  wanted: Wanted | null;
  points: number | null;
  setPoints: (points: number | null) => void;
}

export function Choices({ wanted, options, choose, points, setPoints }: ChoicesProps) {
  return (
    <>
      <More options={options} choose={choose} />
      {named.value && <RangeChoice points={points} choose={setPoints} />}
      <Challenge wanted={wanted} options={options} />
    </>
  );
}

/** What you can choose for games that you create, and what of it also counts for other ways to a game. */
function More({ options, choose }: MoreProps) {
  const { home } = texts.value;
  return (
    <>
      <div class="fields">
        <label>
          {home.role}
          <select
            value={options.seat}
            onChange={({ currentTarget: { value } }) =>
              choose({ ...options, seat: value === "random" ? value : (Number(value) as Options["seat"]) })
            }
          >
            <option value={0}>{home.roles.cut}</option>
            <option value={1}>{home.roles.choose}</option>
            <option value="random">{home.roles.random}</option>
          </select>
        </label>
        <RatedChoice options={options} choose={choose} />
      </div>
      <OnlyFor way={home.create}>
        <AccessChoice options={options} choose={choose} />
        <DelayChoice options={options} choose={choose} />
        {options.access === "unlisted" && isArchived.value && (
          <p class="hint-text">{texts.value.archive.published}</p>
        )}
      </OnlyFor>
    </>
  );
}

/** Choices that count for one of the ways to a game, and not for the others. */
const OnlyFor = ({ way, children }: { way: string; children: ComponentChildren }) => (
  <fieldset class="fields">
    <legend>
      <strong>{way}</strong>
    </legend>
    {children}
  </fieldset>
);

function DelayChoice({ options, choose }: MoreProps) {
  const { home } = texts.value;
  return (
    <label>
      {home.delay}
      <select
        value={options.delay}
        onChange={(event) => choose({ ...options, delay: Number(event.currentTarget.value) })}
      >
        {DELAYS.map((each) => (
          <option key={each} value={each}>
            {home.delayOf(each)}
          </option>
        ))}
      </select>
    </label>
  );
}

function RatedChoice({ options, choose }: MoreProps) {
  const { rating } = texts.value;
  return (
    <label>
      {rating.label}
      <select
        value={options.rated}
        title={ratesBots.value ? `${rating.hint} ${rating.bots.hint}` : rating.hint}
        disabled={ratedFrom.value > 0}
        onChange={(event) => choose({ ...options, rated: WISHES[event.currentTarget.selectedIndex]! })}
      >
        {WISHES.map((each) => (
          <option key={each} value={each}>
            {rating.wishes[each]}
          </option>
        ))}
      </select>
    </label>
  );
}

/** How strong the opponents of quick pairing may be. */
function RangeChoice({ points, choose }: { points: number | null; choose: (points: number | null) => void }) {
  const { home, rating } = texts.value;
  return (
    <OnlyFor way={home.playNow}>
      <label>
        {rating.range}
        <select
          value={String(points)}
          title={rating.rangeHint}
          onChange={(event) => choose(RANGES[event.currentTarget.selectedIndex] ?? null)}
        >
          {RANGES.map((each) => (
            <option key={each} value={String(each)}>
              {each === null ? rating.anyRange : rating.within(each)}
            </option>
          ))}
        </select>
      </label>
    </OnlyFor>
  );
}

function AccessChoice({ options, choose }: MoreProps) {
  const { home } = texts.value;
  return (
    <label>
      {home.access}
      <select
        value={options.access}
        onChange={(event) => choose({ ...options, access: ACCESS[event.currentTarget.selectedIndex]! })}
      >
        {ACCESS.map((each) => (
          <option key={each} value={each}>
            {home.accesses[each]}
          </option>
        ))}
      </select>
    </label>
  );
}
