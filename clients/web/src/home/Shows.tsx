/** Boards that move: running games, which the page follows as a spectator while they are in sight. In the
 * other places, examples from the rules. */

import type { GameDocument } from "@pierule/client";
import { signal } from "@preact/signals";
import { useEffect, useRef, useState } from "preact/hooks";
import { Board } from "../board/Board";
import { changesOf } from "../board/changes";
import { pointsOf } from "../board/geometry";
import { gameOf } from "../games/documents";
import { textsOf, titleOf } from "../games/words";
import { lobby } from "../lobby";
import { Laurel } from "../room/Laurel";
import { colorOf } from "../room/seats";
import { learnPath, roomPath } from "../route";
import { known } from "../server";
import { moving } from "../settings";
import { texts } from "../texts";
import { visible } from "../visibility";
import { useFollowed } from "./followed";
import { mine } from "./mine";
import { PLACES, onShow } from "./onShow";

/** How often one of the samples takes a step, in ms. */
const STEP = 1_000;

/** A game in which nothing has happened for this long, in ms, is not shown. */
const IDLE = 10 * 60_000;

const still = matchMedia("(prefers-reduced-motion: reduce)");
const calm = signal(still.matches);
still.addEventListener("change", () => (calm.value = still.matches));

export function Shows() {
  const { home } = texts.value;
  const [ended, setEnded] = useState<ReadonlyMap<string, boolean>>(new Map());
  const shown = useRef<readonly string[]>([]);
  const drawn = useRef(new Set<string>());
  const own = new Set(mine.value.map(({ room }) => room));
  const goes = moving.value === "yes";
  // While boards do not move, no game is followed, and one that was never seen would stay empty.
  const before = goes ? shown.current : shown.current.filter((room) => drawn.current.has(room));
  shown.current = onShow(before, ended, goes ? (lobby.value?.rooms ?? []) : [], own, Date.now() - IDLE);
  const games = (known.value?.games ?? []).map(({ game }) => game);
  const free = Math.max(0, Math.min(PLACES, games.length) - shown.current.length);
  const tick = useTick(goes && visible.value && !calm.value && free > 0);
  return (
    <section class="shows" aria-labelledby="shows">
      <h2 id="shows">{shown.current.length ? home.running : home.shows}</h2>
      <button class="link" onClick={() => (moving.value = goes ? "no" : "yes")}>
        {goes ? home.pause : home.move}
      </button>
      <ul>
        {shown.current.map((room) => (
          <Live
            key={room}
            room={room}
            seen={() => drawn.current.add(room)}
            end={(stays) => setEnded((all) => new Map([...all, [room, stays]]))}
          />
        ))}
        {games.slice(0, free).map((game, at) => (
          <Sample key={game} name={game} step={Math.floor((tick + PLACES - 1 - at) / PLACES)} />
        ))}
        {!games.length && Array.from({ length: PLACES }, (_, at) => <li key={at} class="show" />)}
      </ul>
    </section>
  );
}

/** A number that grows while it `goes`. */
function useTick(goes: boolean): number {
  const [tick, setTick] = useState(0);
  useEffect(() => {
    if (!goes) return;
    const timer = setInterval(() => setTick((tick) => tick + 1), STEP);
    return () => clearInterval(timer);
  }, [goes]);
  return tick;
}

interface LiveProps {
  room: string;
  /** Called once there is something to see. */
  seen: () => void;
  end: (stays: boolean) => void;
}

function Live({ room, seen: tell, end }: LiveProps) {
  const { home, room: words } = texts.value;
  const seen = useFollowed(room, end);
  const game = seen && gameOf(seen.state.position.game);
  if (!seen || !game) return <li class="show" />;
  tell();
  const { state, before } = seen;
  const { cells, size, to_act, black } = state.position;
  const action = state.actions.at(-1) ?? null;
  const winner = state.result?.winner;
  return (
    <li class="show">
      <a href={roomPath(room)}>
        <span class="sample" aria-hidden="true" inert>
          <Board
            bare
            game={game}
            size={size}
            cells={cells}
            last={action === null ? [] : pointsOf(action, size, game.segments ?? false)}
            changes={changesOf(game, size, before, cells, action)}
            motion={before && !calm.value ? `${state.epoch}.${state.seq}` : null}
          />
        </span>
        <span class="aloud">{home.watch} </span>
        <span class="game-name">{titleOf(state.position.game, size)}</span>
        {state.seats.map((holder, seat) => (
          <span key={seat} class={`seat${to_act === seat ? " acts" : ""}`}>
            <span class={`token ${colorOf(black, seat) ?? "none"}`} />
            <span class="called">{holder?.name || words.unnamed}</span>
            {winner === seat && <Laurel />}
          </span>
        ))}
      </a>
    </li>
  );
}

/** The examples of a game's rules, one after the other, each before and after its action. */
function Sample({ name, step }: { name: string; step: number }) {
  const game = gameOf(name);
  const examples = game ? examplesOf(game) : [];
  const at = examples.length ? Math.floor(step / 2) % examples.length : 0;
  const { picture = null, caption = "" } = examples[at] ?? {};
  const { size, cells, action = null, changes = [] } = picture ?? game?.sample ?? { size: 0, cells: [] };
  const isAfter = picture !== null && (step % 2 === 1 || calm.value);
  const after = new Map(changes);
  const then = isAfter ? cells.map((cell, index) => after.get(index) ?? cell) : cells;
  return (
    <li class="show">
      <a href={learnPath(name)}>
        <span class="sample" aria-hidden="true" inert>
          {game && (
            <Board
              bare
              game={game}
              size={size}
              cells={then}
              last={isAfter && action ? pointsOf(action, size, game.segments ?? false) : []}
              changes={isAfter ? changesOf(game, size, cells, then, action) : new Map()}
              motion={isAfter && !calm.value ? `${at}` : null}
            />
          )}
        </span>
        <span class="game-name">{game ? textsOf(game).name : name}</span>
        <span class="caption">{caption}</span>
      </a>
    </li>
  );
}

const examplesOf = (game: GameDocument) =>
  (game.examples ?? [])
    .map((picture, at) => ({ picture, caption: textsOf(game).captions?.[at] ?? "" }))
    .filter(({ picture }) => picture.action);
