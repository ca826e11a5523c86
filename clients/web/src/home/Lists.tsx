/** The lists of the first screen: one's own games, who waits for a player, and what is being played. */

import type { LobbyRoom, Pool } from "@pierule/client";
import type { ComponentChildren } from "preact";
import { keyOf, seek, seeking } from "../meeting/meeting";
import { roomPath } from "../route";
import { texts } from "../texts";
import { seeks } from "../windows";
import { hasBot, poolsOfOthers } from "./finding";
import type { MyGame } from "./merging";
import { forget, mine } from "./mine";
import { clockText } from "./options";
import { useLobby } from "../lobby";

export function Lists() {
  const { home } = texts.value;
  const lobby = useLobby();
  const own = new Set(mine.value.map(({ room }) => room));
  const others = lobby?.rooms.filter(({ card }) => !own.has(card.room)) ?? [];
  const pools = poolsOfOthers(lobby?.pools ?? [], seeks.value, keyOf);
  const open = others.filter(({ card }) => card.status === "open");
  const bots = open.filter(hasBot);
  const running = others.filter(({ card }) => card.status === "running");
  return (
    <div class="lists">
      <List title={home.mine} empty={home.noMine}>
        {mine.value.map((game) => (
          <Mine key={game.room} game={game} />
        ))}
      </List>
      <List
        title={home.open}
        empty={lobby ? home.noOpen : home.loading}
        more={bots.length > 0 && <Bots bots={bots} />}
      >
        {[
          ...pools.map((pool) => <Sought key={keyOf(pool)} pool={pool} />),
          ...open
            .filter((room) => !hasBot(room))
            .map((room) => <Listed key={room.card.room} room={room} verb={home.join} />),
        ]}
      </List>
      <List title={home.running} empty={lobby ? home.noRunning : home.loading}>
        {running.map((room) => (
          <Listed key={room.card.room} room={room} verb={home.watch} />
        ))}
      </List>
    </div>
  );
}

interface ListProps {
  title: string;
  empty: string;
  children: ComponentChildren[];
  more?: ComponentChildren;
}

function List({ title, empty, children, more }: ListProps) {
  return (
    <section class="list">
      <h2>{title}</h2>
      {children.length ? <ul>{children}</ul> : <p class="empty">{empty}</p>}
      {more}
    </section>
  );
}

const namesText = (names: readonly (string | null)[]): string => {
  const { home, room } = texts.value;
  return names.map((name) => (name === null ? home.nobody : name || room.unnamed)).join(` ${home.versus} `);
};

/** House bots always wait: they are out of the way of people. */
function Bots({ bots }: { bots: readonly LobbyRoom[] }) {
  const { home } = texts.value;
  return (
    <details class="bots">
      <summary>{home.bots(bots.length)}</summary>
      <ul>
        {bots.map((room) => (
          <Listed key={room.card.room} room={room} verb={home.join} />
        ))}
      </ul>
    </details>
  );
}

/** Somebody who seeks exactly this. */
function Sought({ pool: { game, size, control, waiting } }: { pool: Pool }) {
  const { home, games } = texts.value;
  const name = games[game]?.name ?? game;
  return (
    <li>
      <span class="what">
        <strong>{name}</strong> {home.sizeOf(size)}
        <span class="clock-text">{clockText(texts.value, control)}</span>
      </span>
      <span class="names">{home.seeking(waiting)}</span>
      <button
        disabled={!!seeking()}
        aria-label={`${home.join}: ${name} ${home.sizeOf(size)}`}
        onClick={() => seek(game, size, control)}
      >
        {home.join}
      </button>
    </li>
  );
}

function Listed({ room, verb }: { room: LobbyRoom; verb: string }) {
  const { home, games, room: words } = texts.value;
  const { card, spectators } = room;
  const players = namesText(card.names);
  const path = card.status === "open" ? `${roomPath(card.room)}/play` : roomPath(card.room);
  return (
    <li>
      <span class="what">
        <strong>{games[card.game]?.name ?? card.game}</strong> {home.sizeOf(card.size)}
        <span class="clock-text">{clockText(texts.value, card.control)}</span>
      </span>
      <span class="names">
        {players}
        {hasBot(room) && <span class="tag">{home.bot}</span>}
        {spectators > 0 && <span class="watched">{words.spectators(spectators)}</span>}
      </span>
      <a class="button" href={path} aria-label={`${verb}: ${card.room}, ${players}`}>
        {verb}
      </a>
    </li>
  );
}

function Mine({ game }: { game: MyGame }) {
  const { home, games } = texts.value;
  const states = { over: home.over, open: home.waiting, running: home.theirTurn };
  const state = game.mine ? home.yourTurn : states[game.status];
  const verb = game.status === "over" ? home.look : home.back;
  const players = namesText(game.names);
  return (
    <li class={game.mine ? "mine" : ""}>
      <span class="what">
        <strong>{games[game.game]?.name ?? game.game}</strong> {home.sizeOf(game.size)}
        <span class={`state ${game.mine ? "turn" : ""}`}>{state}</span>
      </span>
      <span class="names">{players}</span>
      <a
        class={`button${game.mine ? " primary" : ""}`}
        href={roomPath(game.room, game.invitation)}
        aria-label={`${verb}: ${game.room}, ${players}`}
      >
        {verb}
      </a>
      {game.status === "over" && (
        <button class="link" aria-label={home.forget(game.room)} onClick={() => forget(game.room)}>
          ×
        </button>
      )}
    </li>
  );
}
