/** A new game: which, how large, on what clock; then with a bot, with whoever comes, by a link, or with
 * somebody by name. */

import { Refused, type Control, type Create, type GameOptions } from "@pierule/client";
import { useState } from "preact/hooks";
import { RatedFrom } from "../account/RatedFrom";
import { named } from "../account/account";
import { isArchived } from "../archive/source";
import { Board } from "../board/Board";
import { gameOf } from "../games/documents";
import { sizeText, textsOf } from "../games/words";
import { lobby } from "../lobby";
import { NeedsServer, offline } from "../offline/offline";
import { PATIENCE, seek, seeking } from "../meeting/meeting";
import { ratedFrom } from "../notices";
import { refusalText } from "../refusals";
import { go, roomPath } from "../route";
import { client, known, ratesBots } from "../server";
import { texts } from "../texts";
import { BotCards } from "./BotCards";
import { asking } from "./asking";
import { Challenge } from "./Challenge";
import { choices, choose, sizeOf } from "./choices";
import { CLOCKS, RANGES, clockText } from "./options";

const ACCESS = ["public", "unlisted", "private"] as const;
const WISHES = ["either", "yes", "no"] as const;
const DELAYS = [0, 1, 2, 5, 10, 20, 50];
type Role = NonNullable<Create["seat"]>;

/** What you choose for a room that you make; `rated` and `seat` count for other ways to a game, too. */
export interface Options {
  seat: Role;
  access: (typeof ACCESS)[number];
  delay: number;
  rated: (typeof WISHES)[number];
}

const USUAL: Options = { seat: 0, access: "public", delay: 0, rated: "either" };

/** A game to be played: which, how large, on what clock. */
export interface Wanted {
  game: string;
  size: number;
  clock: (typeof CLOCKS)[number];
}

export function NewGame() {
  const { home } = texts.value;
  const games = known.value?.games ?? [];
  const { game, sizes, clock } = choices.value;
  const [chosenOptions, setOptions] = useState(USUAL);
  const [isAsking] = useState(asking.value !== ""); // only at first: typing a name changes it, too
  const [points, setPoints] = useState<number | null>(null);
  const options: Options = ratedFrom.value ? { ...chosenOptions, rated: "no" } : chosenOptions;
  const chosen = games.find((each) => each.game === game) ?? games[0];
  const size = chosen && sizeOf(chosen, sizes);
  const wanted =
    chosen && !offline.value ? { game: chosen.game, size: size!, clock: CLOCKS[clock] ?? null } : null;
  return (
    <section class="new" aria-labelledby="new">
      <h1 id="new">{home.title}</h1>
      <form onSubmit={(event) => (event.preventDefault(), wanted && playNow(wanted, options.rated, points))}>
        <GameChoice games={games} chosen={chosen} />
        <AboutChosen game={chosen?.game} />
        <div class="fields">
          <SizeChoice
            of={chosen}
            size={size}
            choose={(size) => choose({ sizes: { ...sizes, [chosen!.game]: size } })}
          />
          <ClockChoice clock={clock} choose={(clock) => choose({ clock })} />
        </div>
        <BotCards wanted={wanted} rated={options.rated} />
        <NeedsServer text={texts.value.offline.play} />
        <Ways wanted={wanted} options={options} />
        <RatedFrom />
      </form>
      <details open={isAsking}>
        <summary>{home.more}</summary>
        <More options={options} choose={setOptions} />
        {named.value && <RangeChoice points={points} choose={setPoints} />}
        <Challenge wanted={wanted} options={options} />
      </details>
    </section>
  );
}

interface GameChoiceProps {
  games: readonly GameOptions[];
  chosen: GameOptions | undefined;
}

const GameChoice = ({ games, chosen }: GameChoiceProps) => (
  <fieldset class="games">
    <legend class="aloud">{texts.value.home.game}</legend>
    {!games.length && [0, 1, 2].map((place) => <Awaited key={place} />)}
    {games.map(({ game }) => (
      <GameCard key={game} name={game} checked={game === chosen!.game} choose={() => choose({ game })} />
    ))}
  </fieldset>
);

/** The place of a game that is not known yet. */
const Awaited = () => (
  <div class="game" aria-hidden="true">
    <span class="sample" />
    <span class="game-name" />
    <span class="game-about" />
  </div>
);

/** What a game is about, where the cards have no room for it. */
function AboutChosen({ game: name }: { game: string | undefined }) {
  const game = name ? gameOf(name) : null;
  return (
    <p class="about-chosen" aria-hidden="true">
      {game && textsOf(game).about}
    </p>
  );
}

function playNow({ game, size, clock }: Wanted, rated: Options["rated"], points: number | null): void {
  if (seeking()) return; // the button stays enabled, so that it keeps the focus
  const range = named.value && points !== null ? { below: points, above: points } : null;
  seek(game, size, clock, { rated, range });
  scrollTo({ top: 0 });
}

interface SizeChoiceProps {
  of: GameOptions | undefined;
  size: number | undefined;
  choose: (size: number) => void;
}

export const SizeChoice = ({ of, size, choose }: SizeChoiceProps) => (
  <label>
    {texts.value.home.size}
    <select value={size} disabled={!of} onChange={(event) => choose(Number(event.currentTarget.value))}>
      {[...(of?.sizes ?? [])]
        .sort((a, b) => a - b)
        .map((size) => (
          <option key={size} value={size}>
            {sizeText(of!.game, size)}
          </option>
        ))}
    </select>
  </label>
);

const ClockChoice = ({ clock, choose }: { clock: number; choose: (clock: number) => void }) => (
  <label>
    {texts.value.home.clock}
    <select value={clock} onChange={(event) => choose(Number(event.currentTarget.value))}>
      {CLOCKS.map((each, at) => (
        <option key={at} value={at}>
          {clockText(texts.value, each as Control | null)}
        </option>
      ))}
    </select>
  </label>
);

/** The button that sends the form. Bots stand in, unless the game must be rated: then only people play. */
function PlayNow({ isReady, rated }: { isReady: boolean; rated: Options["rated"] }) {
  const { home } = texts.value;
  return (
    <div class="way">
      <button id="play-now" class="primary big" disabled={!isReady} aria-disabled={!!seeking()}>
        {home.playNow}
      </button>
      <p class="hint-text">
        {home.playNowHint} {rated !== "yes" && !!lobby.value?.bots && home.playNowBot(PATIENCE)}
      </p>
    </div>
  );
}

/** The buttons to play with whoever comes, and to make a room. */
function Ways({ wanted, options }: { wanted: Wanted | null; options: Options }) {
  const { home } = texts.value;
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const make = async () => {
    setBusy(true);
    setRefused(null);
    try {
      const { room, invitation } = await client.create({ ...options, ...wanted! });
      go(roomPath(room, invitation));
    } catch (error) {
      if (error instanceof Refused) setRefused(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <>
      <div class="ways">
        <PlayNow isReady={wanted !== null} rated={options.rated} />
        <div class="way">
          <button type="button" class="big" disabled={busy || !wanted} onClick={() => void make()}>
            {home.create}
          </button>
          <p class="hint-text">{home.createHint}</p>
        </div>
      </div>
      {refused && (
        <p class="refusal" role="alert">
          {refusalText(refused)}
        </p>
      )}
    </>
  );
}

interface MoreProps {
  options: Options;
  choose: (options: Options) => void;
}

/** What you can choose for a room that you make. */
function More({ options, choose }: MoreProps) {
  const { home } = texts.value;
  return (
    <div class="fields">
      <label>
        {home.role}
        <select
          value={options.seat}
          onChange={({ currentTarget: { value } }) =>
            choose({ ...options, seat: value === "random" ? value : (Number(value) as Role) })
          }
        >
          <option value={0}>{home.roles.cut}</option>
          <option value={1}>{home.roles.choose}</option>
          <option value="random">{home.roles.random}</option>
        </select>
      </label>
      <AccessChoice options={options} choose={choose} />
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
      <RatedChoice options={options} choose={choose} />
      {options.access === "unlisted" && isArchived.value && (
        <p class="hint-text">{texts.value.archive.published}</p>
      )}
    </div>
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
  const { rating } = texts.value;
  return (
    <div class="fields">
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
    </div>
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

function GameCard({ name, checked, choose }: { name: string; checked: boolean; choose: () => void }) {
  const game = gameOf(name);
  return (
    <label class={`game${checked ? " checked" : ""}`}>
      <input type="radio" name="game" value={name} checked={checked} onChange={choose} />
      {/* A decoration: the text beside it says what it shows. */}
      <span class="sample" aria-hidden="true" inert>
        {game && <Board bare game={game} size={game.sample.size} cells={game.sample.cells} />}
      </span>
      <span class="game-name">{game ? textsOf(game).name : name}</span>
      <span class="game-about">{game && textsOf(game).about}</span>
    </label>
  );
}
