/** To make a game: which, how large, on what clock, and who cuts. */

import { Refused, newNonce, type Create, type GameOptions } from "@pierule/client";
import { useRef, useState } from "preact/hooks";
import { go, roomPath } from "../route";
import { client, welcome } from "../server";
import { refusalText } from "../room/Controls";
import { texts } from "../texts";
import { CLOCKS, clockText } from "./options";
import { Sample } from "./Sample";

export function NewGame() {
  const { home } = texts.value;
  const games = welcome.value?.games ?? [];
  const [game, setGame] = useState("veletas");
  const [sizes, setSizes] = useState<Record<string, number>>({});
  const [clock, setClock] = useState(0);
  const [seat, setSeat] = useState<0 | 1>(0);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<Refused | null>(null);
  const nonce = useRef(newNonce());
  const chosen: GameOptions | undefined = games.find((each) => each.game === game) ?? games[0];

  const create = async () => {
    if (!chosen) return;
    setBusy(true);
    setRefused(null);
    const size = sizes[chosen.game] ?? chosen.default_size;
    const request = {
      type: "create",
      nonce: nonce.current,
      game: chosen.game,
      size,
      seat,
      clock: CLOCKS[clock] ?? null,
    } as const satisfies Omit<Create, "id">;
    try {
      const { room } = await client.request(request);
      go(roomPath(room!));
    } catch (error) {
      if (error instanceof Refused) setRefused(error);
    } finally {
      nonce.current = newNonce();
      setBusy(false);
    }
  };

  return (
    <section class="new" aria-labelledby="new">
      <h1 id="new">{home.title}</h1>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void create();
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
              value={chosen && (sizes[chosen.game] ?? chosen.default_size)}
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
            <select value={seat} onChange={(event) => setSeat(Number(event.currentTarget.value) as 0 | 1)}>
              <option value={0}>{home.roles.cut}</option>
              <option value={1}>{home.roles.choose}</option>
            </select>
          </label>
          <button class="primary big" disabled={busy || !chosen}>
            {busy ? home.creating : home.create}
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
