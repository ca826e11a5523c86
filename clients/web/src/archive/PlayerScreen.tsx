/** A player: their ratings, how their games went, when they played, and the games. */

import type { archive as Archive } from "@pierule/client";
import { Fragment } from "preact";
import { useMemo } from "preact/hooks";
import { gameOf } from "../games/documents";
import { titleOf, wordText } from "../games/words";
import { playerLink } from "../links";
import { Share } from "../room/Share";
import { playerPath, refine, type Search } from "../route";
import { welcome } from "../server";
import { language } from "../settings";
import { texts } from "../texts";
import { useTitle } from "../title";
import { PlayerButtons } from "./PlayerButtons";
import { DownloadGames } from "./DownloadGames";
import { Filters } from "./Filters";
import { GameList } from "./GameList";
import { Ratings } from "./Ratings";
import { isArchived, source, useAnswer, useGames, type Games } from "./source";
import { isBackward, searchOf } from "./searching";
import { frequent, tallyOf, type Score, type Scores, type Tally } from "./tally";
import { Unanswered } from "./Unanswered";
import { dayText, percent } from "./words";

/** How many games to count at a time. */
const STEP = 250;
/** The most rows of a table. */
const ROWS = 8;

export function PlayerScreen({ name, search }: { name: string; search: Search }) {
  const { archive, home } = texts.value;
  const key = isArchived.value ? name : null;
  const { answer: player, error, again } = useAnswer(key, () => source.player(name));
  // Your own page has your id in its address, but you know yourself by name.
  const me = welcome.value;
  const called = me?.user === name ? me.name : name;
  const unknown = me?.user === name ? home.noMine : archive.player.unknown(name);
  useTitle(player?.name ?? called);
  return (
    <div class="archive">
      {player ? (
        <Known key={player.id} player={player} path={playerPath(name)} search={search} />
      ) : (
        <>
          <h1>{called}</h1>
          <Unanswered error={error} again={again} unknown={unknown} />
        </>
      )}
    </div>
  );
}

interface KnownProps {
  player: Archive.Player;
  path: string;
  search: Search;
}

function Known({ player, path, search }: KnownProps) {
  const { archive, home } = texts.value;
  const asked = searchOf({ ...search, player: "" });
  const key = JSON.stringify(asked);
  const backward = isBackward(search);
  const games = useGames(backward ? null : key, STEP, (after, limit) =>
    source.gamesOf(player.id, { ...asked, after, limit }),
  );
  return (
    <>
      <h1>
        {player.name ?? archive.deleted} {player.bot && <span class="tag">{home.bot}</span>}
      </h1>
      <p class="note">{archive.player.last(dayText(player.last))}</p>
      {!!player.namesakes?.length && (
        <p class="note">
          {archive.player.others}{" "}
          {player.namesakes.map((id) => (
            <Fragment key={id}>
              <a href={playerPath(id)}>{id}</a>{" "}
            </Fragment>
          ))}
        </p>
      )}
      <PlayerButtons player={player} />
      <Ratings player={player.id} />
      <Filters of="player" search={search} refine={(wanted) => refine(path, wanted)} />
      {games.lines.length > 0 && <Figures games={games} player={player.id} />}
      {!backward && <GameList key={key} title={archive.tabs.games} games={games} />}
      <section class="panel">
        {games.lines.length > 0 && <DownloadGames key={`${key} download`} player={player} search={asked} />}
        <Share link={playerLink(player)} label={archive.player.link} />
      </section>
    </>
  );
}

function Figures({ games, player }: { games: Games; player: string }) {
  const { archive } = texts.value;
  const tally = useMemo(() => tallyOf(games.lines, player), [games.lines, player]);
  const { all } = tally;
  const uncounted = all.games - all.won - all.lost - all.draws;
  return (
    <>
      {all.games >= STEP && (games.more || games.loading) && (
        <p class="note">
          {archive.player.latest(all.games)}{" "}
          <button class="link" aria-disabled={games.loading} onClick={() => games.more?.()}>
            {archive.player.count}
          </button>
        </p>
      )}
      <section class="panel" aria-labelledby="results">
        <h2 id="results">{archive.player.results}</h2>
        <Tables tally={tally} />
        {uncounted > 0 && <p class="note">{archive.player.uncounted(uncounted)}</p>}
      </section>
      <Activity tally={tally} />
    </>
  );
}

function Tables({ tally }: { tally: Tally }) {
  const { archive, colors } = texts.value;
  const { by, roles } = archive.player;
  const games = (key: string) => titleOf(...gameAndSize(key));
  const cuts = (key: string) => `${games(key)}: ${cutText(key)}`;
  return (
    <div class="tallies">
      <Table title={by.game} scores={tally.game} text={games} />
      <Table title={by.color} scores={tally.color} text={(key) => colors[key as "black" | "white"]} />
      <Table title={by.role} scores={tally.role} text={(key) => roles[key as "cut" | "chose"]} />
      <Table title={by.cut} scores={tally.cut} text={cuts} />
    </div>
  );
}

function gameAndSize(key: string): [string, number] {
  const [game = "", size] = key.split(" ");
  return [game, Number(size)];
}

function cutText(key: string): string {
  const [game = "", , cut = ""] = key.split(" ");
  const document = gameOf(game);
  return document ? wordText(document, cut) : cut;
}

interface TableProps {
  title: string;
  scores: Scores;
  text: (key: string) => string;
}

function Table({ title, scores, text }: TableProps) {
  const { columns } = texts.value.archive.player;
  const keys = frequent(scores).slice(0, ROWS);
  if (!keys.length) return null;
  return (
    <table class="tally">
      <thead>
        <tr>
          <th scope="col">{title}</th>
          {Object.values(columns).map((column) => (
            <th key={column} scope="col">
              {column}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <Row key={key} name={text(key)} score={scores.get(key)!} />
        ))}
      </tbody>
    </table>
  );
}

function Row({ name, score: { games, won, lost, draws } }: { name: string; score: Score }) {
  const decided = won + lost + draws;
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{games}</td>
      <td>
        {won} {decided > 0 && <small>{percent(won / decided)}</small>}
      </td>
      <td>{lost}</td>
      <td>{draws}</td>
    </tr>
  );
}

/** How many games there were in each month. */
function Activity({ tally: { months } }: { tally: Tally }) {
  const { archive } = texts.value;
  const most = Math.max(...months.map(([, count]) => count));
  const name = (month: string, length: "short" | "long") =>
    new Date(`${month}-01T00:00:00Z`).toLocaleDateString(language.value, {
      month: length,
      year: length === "long" ? "numeric" : undefined,
      timeZone: "UTC",
    });
  return (
    <section class="panel" aria-labelledby="activity">
      <h2 id="activity">{archive.player.activity}</h2>
      <ol class="activity">
        {months.map(([month, count]) => (
          <li key={month} title={`${name(month, "long")}: ${archive.games(count)}`}>
            <span class="aloud">
              {name(month, "long")}: {archive.games(count)}
            </span>
            <span class="bar" aria-hidden="true" style={{ "--part": count / most }} />
            <span class="month" aria-hidden="true">
              {name(month, "short")}
            </span>
          </li>
        ))}
      </ol>
    </section>
  );
}
