/** The lists of the first screen: your own games, who waits for a player, and what is being played. */

import type { LobbyRoom, Pool } from "@pierule/client";
import { Fragment, type ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { Beside } from "../archive/Beside";
import { PlayerLink } from "../archive/PlayerLink";
import { isArchived } from "../archive/source";
import { standingAloud } from "../archive/words";
import { gameName, sizeText, titleOf } from "../games/words";
import { keyOf, seek, seeking } from "../meeting/meeting";
import { playerPath, roomPath } from "../route";
import { Laurel } from "../room/Laurel";
import { welcome } from "../server";
import { texts } from "../texts";
import { seeks } from "../windows";
import { ChallengeLink } from "./ChallengeLink";
import { Filters } from "./Filters";
import { followed } from "./followed";
import { ALL, botsIn, chosenOf, hasBot, poolsOf, poolsOfOthers } from "./finding";
import { byUrgency, type MyGame } from "./merging";
import { forget, mine } from "./mine";
import { useMore, type Growing } from "./more";
import { clockText } from "./options";
import { choice, isLate, lobby, useLobby } from "../lobby";

/** How many of your games are shown at first. */
const FEW = 4;

/** Your games: first those in which it is your turn, then others that are not over, and last those that
 * are. */
export function MyGames() {
  const { home } = texts.value;
  const [all, setAll] = useState(false);
  const games = byUrgency(mine.value);
  const shown = all ? games : games.slice(0, FEW);
  return (
    <List
      title={home.mine}
      empty={home.noMine}
      below={<AllMine />}
      more={shown.length < games.length ? () => setAll(true) : null}
    >
      {shown.map((game) => (
        <Mine key={game.room} game={game} />
      ))}
    </List>
  );
}

/** `mine`: whether your own games are among the lists; `isReady`: whether to show more than the first. */
export function Lists({ mine: own, isReady }: { mine: boolean; isReady: boolean }) {
  const told = useLobby()?.rooms ?? [];
  const { game, kind } = choice.value;
  return (
    <div class={`lists${own ? "" : " alone"}`}>
      {own && <MyGames />}
      <div class="others">
        <Filters />
        {kind !== "running" && <Open key={`open ${game} ${kind}`} told={told} />}
        {isReady && (kind === "all" || kind === "running") && <Running key={`running ${game}`} told={told} />}
      </div>
    </div>
  );
}

/** Leads to all your finished games, including those that the server's store no longer has. */
function AllMine() {
  const me = welcome.value?.user;
  return isArchived.value && me ? <a href={playerPath(me)}>{texts.value.archive.mine}</a> : null;
}

/** The games of others that the filters leave. */
const chosen = (rooms: readonly LobbyRoom[], status: "open" | "running") => {
  const own = new Set(mine.value.map(({ room }) => room));
  return chosenOf(rooms, choice.value, own).filter(({ card }) => card.status === status);
};

/** What an empty list says; `none` is for a list without filters. */
const emptyText = (none: string) => {
  const { home } = texts.value;
  if (!lobby.value || isLate.value) return home.loading;
  return choice.value === ALL ? none : home.noMatch;
};

interface OthersProps {
  told: readonly LobbyRoom[];
}

function Open({ told }: OthersProps) {
  const { home } = texts.value;
  const { all, rooms, ...growing } = useMore("open", told, (rooms) =>
    chosen(rooms, "open").filter((room) => !hasBot(room)),
  );
  const bots = chosen(all, "open").filter(hasBot);
  const pools = poolsOfOthers(poolsOf(lobby.value?.pools ?? [], choice.value), seeks.value, keyOf);
  return (
    <List
      title={home.open}
      empty={emptyText(home.noOpen)}
      {...growing}
      below={bots.length > 0 && <Bots bots={bots} />}
    >
      {[
        ...pools.map((pool) => <Sought key={keyOf(pool)} pool={pool} />),
        ...rooms.map((room) => <Listed key={room.card.room} room={room} verb={home.join} />),
      ]}
    </List>
  );
}

function Running({ told }: OthersProps) {
  const { home } = texts.value;
  const { all, rooms, ...growing } = useMore("running", told, (rooms) => chosen(rooms, "running"));
  return (
    <List title={home.running} empty={emptyText(home.noRunning)} {...growing}>
      {rooms.map((room) => (
        <Listed key={room.card.room} room={room} verb={home.watch} />
      ))}
    </List>
  );
}

interface ListProps extends Partial<Pick<Growing, "list">> {
  more?: (() => unknown) | null;
  title: string;
  empty: string;
  children: ComponentChildren[];
  below?: ComponentChildren;
}

function List({ title, empty, children, more, list, below }: ListProps) {
  const { home } = texts.value;
  return (
    <section class="list">
      <h2>{title}</h2>
      {children.length ? <ul ref={list}>{children}</ul> : <p class="empty">{empty}</p>}
      {more && (
        <button aria-label={`${home.showMore}: ${title}`} onClick={() => void more()}>
          {home.showMore}
        </button>
      )}
      {below}
    </section>
  );
}

type Seated = Pick<MyGame, "names" | "standings">;

/** Who sits in a room. Each name leads to its player. */
function Names({ names, standings, winner }: Seated & { winner?: number | null }) {
  const { home, room } = texts.value;
  return (
    <>
      {names.map((name, seat) => (
        <Fragment key={seat}>
          {seat > 0 && ` ${home.versus} `}
          <span class={seat === winner ? "won" : ""}>
            {name === null ? home.nobody : <PlayerLink name={name || room.unnamed} of={name} />}
            {seat === winner && <Laurel />}
          </span>
          <Beside standing={standings?.[seat]} />
        </Fragment>
      ))}
    </>
  );
}

function namesText({ names, standings }: Seated): string {
  const { home, room } = texts.value;
  const told = names.map((name, seat) => {
    const standing = standings?.[seat];
    const called = name === null ? home.nobody : name || room.unnamed;
    return standing ? `${called}, ${standingAloud(standing)}` : called;
  });
  return told.join(` ${home.versus} `);
}

/** The house bots, folded away: they always wait, and would hide the people who do. */
function Bots({ bots }: { bots: readonly LobbyRoom[] }) {
  const { home } = texts.value;
  return (
    <details class="bots">
      <summary>{home.bots(botsIn(bots))}</summary>
      <ul>
        {bots.map((room) => (
          <Listed key={room.card.room} room={room} verb={home.join} />
        ))}
      </ul>
    </details>
  );
}

/** Players who seek exactly this. */
function Sought({ pool: { game, size, control, waiting } }: { pool: Pool }) {
  const { home } = texts.value;
  return (
    <li>
      <span class="what">
        <strong>{gameName(game)}</strong> {sizeText(game, size)}
        <span class="clock-text">{clockText(texts.value, control)}</span>
      </span>
      <span class="names">{home.seeking(waiting)}</span>
      <button
        disabled={!!seeking()}
        aria-label={`${home.join}: ${titleOf(game, size)}`}
        onClick={() => seek(game, size, control)}
      >
        {home.join}
      </button>
    </li>
  );
}

/** Whether a game counts for ratings; of an open room, whether it can still count. */
function ratedText({ rated, status }: LobbyRoom["card"]): string {
  const { people, rating } = texts.value;
  if (!rated) return people.casual;
  return status === "open" ? people.canCount : rating.label;
}

/** Who sits in an open room. */
const hostsOf = ({ names, standings }: Seated) => ({
  names: names.filter((name) => name !== null),
  standings: standings?.filter((_, seat) => names[seat] !== null) as Seated["standings"],
});

/** Who waits in an open room. */
function Waits(seated: Seated) {
  const hosts = hostsOf(seated);
  return hosts.names.length ? (
    <>
      <Names {...hosts} /> {texts.value.people.isWaiting}
    </>
  ) : (
    <Names {...seated} />
  );
}

function waitsText(seated: Seated): string {
  const hosts = hostsOf(seated);
  return hosts.names.length ? `${namesText(hosts)} ${texts.value.people.isWaiting}` : namesText(seated);
}

function Listed({ room, verb }: { room: LobbyRoom; verb: string }) {
  const { home, room: words } = texts.value;
  const { card } = room;
  const spectators = room.spectators - Number(followed.value.has(card.room));
  const players = card.status === "open" ? waitsText(card) : namesText(card);
  const path = card.status === "open" ? `${roomPath(card.room)}/play` : roomPath(card.room);
  return (
    <li>
      <span class="what">
        <strong>{gameName(card.game)}</strong> {sizeText(card.game, card.size)}
        <span class="clock-text">{clockText(texts.value, card.control)}</span>
        {(card.rated || card.status === "open") && <span class="tag">{ratedText(card)}</span>}
      </span>
      <span class="names">
        {card.status === "open" ? <Waits {...card} /> : <Names {...card} />}
        {hasBot(room) && <span class="tag">{home.bot}</span>}
        {spectators > 0 && <span class="watched">{words.spectators(spectators)}</span>}
      </span>
      <a class="button" href={path} aria-label={`${verb}: ${card.room}, ${players}`}>
        {verb}
      </a>
    </li>
  );
}

/** How your game ended, as far as this browser knows. */
function endText({ winner, seat }: MyGame): string {
  const { home } = texts.value;
  if (winner === undefined || winner === null) return home.over;
  return seat === null || seat === undefined ? home.over : winner === seat ? home.won : home.lost;
}

function Mine({ game }: { game: MyGame }) {
  const { home } = texts.value;
  const states = { over: endText(game), open: home.waiting, running: home.theirTurn };
  const state = game.aside ? home.aside : game.mine ? home.yourTurn : states[game.status];
  const verb = game.status === "over" ? home.look : home.back;
  const players = namesText(game);
  return (
    <li class={game.mine ? "mine" : ""}>
      <span class="what">
        <strong>{gameName(game.game)}</strong> {sizeText(game.game, game.size)}
        <span class={`state ${game.mine ? "turn" : ""}`}>{state}</span>
      </span>
      <span class="names">
        <Names {...game} winner={game.status === "over" ? (game.winner ?? null) : null} />{" "}
        {game.status === "over" && <ChallengeLink of={game.rival ?? null} />}
      </span>
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
