/** A new game: which, how large, on what clock; then with a bot, with whoever comes, by a link, or with
 * somebody by name. */

import { Refused, type Control, type Create, type GameOptions } from "@pierule/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { RatedFrom } from "../account/RatedFrom";
import { named } from "../account/account";
import { Board } from "../board/Board";
import { gameOf } from "../games/documents";
import { sizeText, textsOf } from "../games/words";
import { lazily } from "../Lazy";
import { lobby } from "../lobby";
import { gameText } from "../meeting/Meeting";
import { NeedsServer, offline } from "../offline/offline";
import { PATIENCE, seek, seeking } from "../meeting/meeting";
import { ratedFrom } from "../notices";
import { refusalText } from "../refusals";
import { go, roomPath } from "../route";
import { client, known } from "../server";
import { texts } from "../texts";
import { BotCards } from "./BotCards";
import { asking, filled } from "./asking";
import { choices, choose, sizeOf } from "./choices";
import type { ChoicesProps } from "./Further";
import { CLOCKS, clockText } from "./options";

const Further = lazily(() => import("./Further"));

/** What you choose for a room that you make; `rated` and `seat` count for other ways to a game, too. */
export interface Options {
  seat: NonNullable<Create["seat"]>;
  access: "public" | "unlisted" | "private";
  delay: number;
  rated: "either" | "yes" | "no";
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
      <More {...{ wanted, options, points, setPoints }} choose={setOptions} />
    </section>
  );
}

/** What else you can choose. It also opens for users who come with the name of somebody to challenge. */
function More(props: ChoicesProps) {
  const element = useRef<HTMLDetailsElement>(null);
  const [wasOpen, setOpen] = useState(false);
  const { value: times } = filled;
  useEffect(() => {
    if (asking.peek()) element.current!.open = true;
  }, [times]);
  return (
    <details ref={element} onToggle={() => setOpen(true)}>
      <summary>{texts.value.home.more}</summary>
      {wasOpen && <Further show={({ Choices }) => <Choices {...props} />} />}
    </details>
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

/** The button that sends the form. Bots stand in, unless the game must be rated: then only people play. In a
 * small window it stays at the lower edge, whatever you look at, and says what will be played. */
function PlayNow({ wanted, rated }: { wanted: Wanted | null; rated: Options["rated"] }) {
  const { home } = texts.value;
  return (
    <div class="way">
      <button id="play-now" class="primary big" disabled={!wanted} aria-disabled={!!seeking()}>
        {home.playNow}
        <small aria-hidden="true">
          {wanted && gameText(wanted.game, wanted.size, wanted.clock as Control | null)}
        </small>
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
        <PlayNow wanted={wanted} rated={options.rated} />
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
