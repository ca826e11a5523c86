/** To make a game, or to join one that waits: which, how large, on what clock, who cuts, who finds it. */

import { Refused, newInvitation, newNonce, type Create, type GameOptions } from "@pierule/client";
import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { go, roomPath } from "../route";
import { client, welcome } from "../server";
import { refusalText } from "../room/Controls";
import { texts } from "../texts";
import { LISTED, roomToJoin } from "./finding";
import { mine } from "./mine";
import { CLOCKS, clockText } from "./options";
import { Sample } from "./Sample";

/** The room that was made because nobody waited. */
export const created = signal<string | null>(null);

const ACCESS = ["public", "unlisted", "private"] as const;
const DELAYS = [0, 1, 2, 5, 10, 20, 50];
type Role = NonNullable<Create["seat"]>;

export function NewGame() {
  const { home } = texts.value;
  const games = welcome.value?.games ?? [];
  const [game, setGame] = useState("veletas");
  const [sizes, setSizes] = useState<Record<string, number>>({});
  const [clock, setClock] = useState(0);
  const [seat, setSeat] = useState<Role>(0);
  const [access, setAccess] = useState<(typeof ACCESS)[number]>("public");
  const [delay, setDelay] = useState(0);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const chosen: GameOptions | undefined = games.find((each) => each.game === game) ?? games[0];
  const size = chosen && (sizes[chosen.game] ?? chosen.default_size);

  /** Do it, and show why the server does not. */
  const attempt = async (what: () => Promise<void>) => {
    setBusy(true);
    setRefused(null);
    try {
      await what();
    } catch (error) {
      if (error instanceof Refused) setRefused(error);
    } finally {
      setBusy(false);
    }
  };
  const make = async (who: (typeof ACCESS)[number]) => {
    const invitation = who === "private" ? newInvitation() : null;
    const options = { game: chosen!.game, size: size!, seat, clock: CLOCKS[clock] ?? null, delay };
    const request = { type: "create", nonce: newNonce(), access: who, invitation, ...options } as const;
    const { room } = await client.request(request);
    go(roomPath(room!, invitation));
    return room!;
  };
  const playNow = async () => {
    const { rooms } = await client.request({ type: "rooms", limit: LISTED });
    const own = new Set(mine.value.map(({ room }) => room));
    const found = roomToJoin(rooms ?? [], chosen!.game, size!, own);
    if (found) go(`${roomPath(found)}/play`);
    else created.value = await make("public");
  };

  return (
    <section class="new" aria-labelledby="new">
      <h1 id="new">{home.title}</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(async () => void (await make(access)));
        }}
      >
        <fieldset class="games">
          <legend class="aloud">{home.game}</legend>
          {(games.length ? games.map((each) => each.game) : ["loose", "veletas", "taugo"]).map((name) => (
            <GameCard
              key={name}
              name={name}
              checked={name === (chosen?.game ?? game)}
              choose={() => setGame(name)}
            />
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
                    {home.sizeOf(size)}
                  </option>
                ))}
            </select>
          </label>
          <label>
            {home.clock}
            <select value={clock} onChange={(event) => setClock(Number(event.currentTarget.value))}>
              {CLOCKS.map((each, at) => (
                <option key={at} value={at}>
                  {clockText(texts.value, each)}
                </option>
              ))}
            </select>
          </label>
          <label>
            {home.role}
            <select
              value={seat}
              onChange={({ currentTarget: { value } }) =>
                setSeat(value === "random" ? value : (Number(value) as Role))
              }
            >
              <option value={0}>{home.roles.cut}</option>
              <option value={1}>{home.roles.choose}</option>
              <option value="random">{home.roles.random}</option>
            </select>
          </label>
        </div>
        <details>
          <summary>{home.more}</summary>
          <div class="fields">
            <label>
              {home.access}
              <select
                value={access}
                onChange={(event) => setAccess(ACCESS[event.currentTarget.selectedIndex]!)}
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
              <select value={delay} onChange={(event) => setDelay(Number(event.currentTarget.value))}>
                {DELAYS.map((each) => (
                  <option key={each} value={each}>
                    {home.delayOf(each)}
                  </option>
                ))}
              </select>
            </label>
          </div>
        </details>
        <div class="buttons">
          <button
            type="button"
            class="primary big"
            disabled={busy || !chosen}
            onClick={() => void attempt(playNow)}
          >
            {home.playNow}
          </button>
          <button class="big" disabled={busy || !chosen}>
            {home.create}
          </button>
        </div>
        <p class="hint-text">{home.createHint}</p>
        {refused && (
          <p class="refusal" role="alert">
            {refusalText(refused)}
          </p>
        )}
      </form>
    </section>
  );
}

function GameCard({ name, checked, choose }: { name: string; checked: boolean; choose: () => void }) {
  const game = texts.value.games[name];
  return (
    <label class={`game${checked ? " checked" : ""}`}>
      <input type="radio" name="game" value={name} checked={checked} onChange={choose} />
      <Sample game={name} />
      <span class="game-name">{game?.name ?? name}</span>
      <span class="game-about">{game?.about}</span>
    </label>
  );
}
