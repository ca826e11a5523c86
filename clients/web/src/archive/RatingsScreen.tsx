/** The leaderboard of a game (SPEC 30.5), and below it its house bots. */

import type { archive as Archive } from "@pierule/client";
import { GameTabs } from "../games/GameTabs";
import { gameName } from "../games/words";
import { botName, strengthOf } from "../home/bots";
import { ratesBots, welcome } from "../server";
import { texts } from "../texts";
import { useTitle } from "../title";
import { PlayerLink } from "./PlayerLink";
import { isArchived, source, useAnswer } from "./source";
import { Tabs } from "./Tabs";
import { Unanswered } from "./Unanswered";
import { dayText, playerText, ratingText } from "./words";

export function RatingsScreen({ game }: { game: string | null }) {
  const { archive, rating, rules } = texts.value;
  const games = welcome.value?.games ?? [];
  const chosen = games.find((each) => each.game === (game ?? games[0]?.game));
  const title = rating.title(gameName(chosen?.game ?? game ?? ""));
  useTitle(title);
  return (
    <div class="archive">
      <h1>{title}</h1>
      <Tabs at="ratings" />
      <GameTabs
        label={archive.tabs.ratings}
        games={games.map((each) => each.game)}
        chosen={chosen?.game}
        path={(name) => `#/ratings/${name}`}
      />
      {games.length > 0 && !chosen && <p role="alert">{rules.unknown(game!)}</p>}
      {chosen && <Board key={chosen.game} game={chosen.game} />}
      <p class="note">{rating.about}</p>
    </div>
  );
}

function Board({ game }: { game: string }) {
  const { rating } = texts.value;
  const { answer, error, again } = useAnswer(isArchived.value ? game : null, () => source.leaderboard(game));
  if (!answer) return <Unanswered error={error} again={again} unknown={rating.empty} />;
  return (
    <>
      {answer.players.length ? <People game={game} board={answer} /> : <p class="empty">{rating.empty}</p>}
      <p class="note">{rating.through(answer.version, answer.through, dayText(answer.at))}</p>
      {answer.bots.length > 0 && <Bots bots={answer.bots} />}
    </>
  );
}

function People({ game, board }: { game: string; board: Archive.Leaderboard }) {
  const { rating } = texts.value;
  return (
    <section class="panel" aria-label={rating.title(gameName(game))}>
      <table class="tally board-of-players">
        <thead>
          <tr>
            <th scope="col">{rating.columns.player}</th>
            <th scope="col">{rating.columns.rating}</th>
            <th scope="col">{rating.columns.games}</th>
            <th scope="col">{rating.columns.last}</th>
          </tr>
        </thead>
        <tbody>
          {board.players.map((each) => (
            <Row key={each.player.id} ranked={each} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The house bots, whose ratings never change (SPEC 30.9). */
function Bots({ bots }: { bots: Archive.Anchor[] }) {
  const { rating, bots: words } = texts.value;
  return (
    <section class="panel" aria-labelledby="rated-bots">
      <h2 id="rated-bots">{rating.bots.title}</h2>
      <table class="tally board-of-bots">
        <thead>
          <tr>
            <th scope="col">{rating.bots.bot}</th>
            <th scope="col">{rating.columns.rating}</th>
            <th scope="col">{rating.bots.strength}</th>
          </tr>
        </thead>
        <tbody>
          {bots.map(({ level, rating: points }) => (
            <tr key={level}>
              <th scope="row">{botName(level)}</th>
              <td>{points}</td>
              <td>{strengthOf(words, level)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <p class="note">
        {rating.bots.about} {ratesBots.value ? rating.bots.count : rating.bots.countNot}
      </p>
    </section>
  );
}

const Row = ({ ranked }: { ranked: Archive.Ranked }) => (
  <tr>
    <th scope="row">
      {ranked.rank}. <PlayerLink name={playerText(ranked.player)} of={ranked.player.id} />
    </th>
    <td>{ratingText(ranked)}</td>
    <td>{ranked.games}</td>
    <td>{dayText(ranked.last)}</td>
  </tr>
);
