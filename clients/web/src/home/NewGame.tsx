/** To get a game: which, how large, on what clock; and then with whoever comes, by a link, or with
 * somebody by name. */

import { Refused, type Control, type Create, type GameOptions } from "@pierule/client";
import { useState } from "preact/hooks";
import { Board } from "../board/Board";
import { gameOf } from "../games/documents";
import { sizeText, textsOf } from "../games/words";
import { lobby } from "../lobby";
import { PATIENCE, seek, seeking, wait } from "../meeting/meeting";
import { refusalText } from "../refusals";
import { go, roomPath } from "../route";
import { client, welcome } from "../server";
import { texts } from "../texts";
import { CLOCKS, clockText } from "./options";

const ACCESS = ["public", "unlisted", "private"] as const;
const DELAYS = [0, 1, 2, 5, 10, 20, 50];
type Role = NonNullable<Create["seat"]>;

/** What is chosen for a room that one makes oneself. */
interface Options {
  seat: Role;
  access: (typeof ACCESS)[number];
  delay: number;
}

export function NewGame() {
  const { home } = texts.value;
  const games = welcome.value?.games ?? [];
  const [game, setGame] = useState("");
  const [sizes, setSizes] = useState<Record<string, number>>({});
  const [clock, setClock] = useState(0);
  const [options, setOptions] = useState<Options>({ seat: 0, access: "public", delay: 0 });
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const chosen: GameOptions | undefined = games.find((each) => each.game === game) ?? games[0];
  const size = chosen && (sizes[chosen.game] ?? chosen.default_size);
  const control = CLOCKS[clock] ?? null;

  const make = async () => {
    const wanted = { ...options, game: chosen!.game, size: size!, clock: control };
    setBusy(true);
    setRefused(null);
    try {
      const { room, invitation } = await client.create(wanted);
      go(roomPath(room, invitation));
    } catch (error) {
      if (error instanceof Refused) setRefused(error);
    } finally {
      setBusy(false);
    }
  };
  const challenge = (to: string) => {
    const seat = options.seat === "random" ? null : options.seat;
    wait({ type: "challenge", to, named: true, game: chosen!.game, size: size!, clock: control, seat });
  };

  return (
    <section class="new" aria-labelledby="new">
      <h1 id="new">{home.title}</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (seeking()) return; // the button stays enabled, so that it keeps the focus
          seek(chosen!.game, size!, control);
          scrollTo({ top: 0 });
        }}
      >
        <fieldset class="games">
          <legend class="aloud">{home.game}</legend>
          {games.map(({ game: name }) => (
            <GameCard key={name} name={name} checked={name === chosen!.game} choose={() => setGame(name)} />
          ))}
        </fieldset>
        <div class="fields">
          <label>
            {home.size}
            <select
              value={size}
              disabled={!chosen}
              onChange={(event) => setSizes({ ...sizes, [chosen!.game]: Number(event.currentTarget.value) })}
            >
              {[...(chosen?.sizes ?? [])]
                .sort((a, b) => a - b)
                .map((size) => (
                  <option key={size} value={size}>
                    {sizeText(chosen!.game, size)}
                  </option>
                ))}
            </select>
          </label>
          <label>
            {home.clock}
            <select value={clock} onChange={(event) => setClock(Number(event.currentTarget.value))}>
              {CLOCKS.map((each, at) => (
                <option key={at} value={at}>
                  {clockText(texts.value, each as Control | null)}
                </option>
              ))}
            </select>
          </label>
        </div>
        <div class="ways">
          <div class="way">
            <button id="play-now" class="primary big" disabled={!chosen} aria-disabled={!!seeking()}>
              {home.playNow}
            </button>
            <p class="hint-text">
              {home.playNowHint} {!!lobby.value?.bots && home.playNowBot(PATIENCE)}
            </p>
          </div>
          <div class="way">
            <button type="button" class="big" disabled={busy || !chosen} onClick={() => void make()}>
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
      </form>
      <details>
        <summary>{home.more}</summary>
        <More options={options} choose={setOptions} />
        <Challenge challenge={challenge} />
      </details>
    </section>
  );
}

/** What one can choose for a room that one makes. */
function More({ options, choose }: { options: Options; choose: (options: Options) => void }) {
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
    </div>
  );
}

/** To ask somebody by name. */
function Challenge({ challenge }: { challenge: (to: string) => void }) {
  const { home } = texts.value;
  const [to, setTo] = useState("");
  return (
    <form
      class="challenge"
      onSubmit={(event) => {
        event.preventDefault();
        challenge(to.trim());
        setTo("");
        scrollTo({ top: 0 });
      }}
    >
      <label>
        {home.challengeLabel}
        <input
          value={to}
          required
          pattern=" *[A-Za-z][A-Za-z0-9_\-]{1,23} *"
          placeholder={home.challengeHint}
          autocomplete="off"
          onInput={(event) => setTo(event.currentTarget.value)}
        />
      </label>
      <button>{home.challenge}</button>
    </form>
  );
}

function GameCard({ name, checked, choose }: { name: string; checked: boolean; choose: () => void }) {
  const game = gameOf(name);
  return (
    <label class={`game${checked ? " checked" : ""}`}>
      <input type="radio" name="game" value={name} checked={checked} onChange={choose} />
      {/* Decoration: what it shows is told by the text beside it. */}
      <span class="sample" aria-hidden="true" inert>
        {game && <Board game={game} size={game.sample.size} cells={game.sample.cells} />}
      </span>
      <span class="game-name">{game ? textsOf(game).name : name}</span>
      <span class="game-about">{game && textsOf(game).about}</span>
    </label>
  );
}
