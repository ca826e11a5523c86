/** A finished game of the archive, action by action. */

import { ArchiveError, type archive as Archive } from "@pierule/client";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { ChallengeLink } from "../home/ChallengeLink";
import { challengeable } from "../home/lately";
import { gameText } from "../meeting/Meeting";
import { gameLink } from "../links";
import { keptGames } from "../offline/games";
import { Replay } from "../replay/Replay";
import { holdersOf } from "../room/record";
import { Share } from "../room/Share";
import { gamePath, ROOM_NAME, roomPath, route } from "../route";
import { client, connected, visit } from "../server";
import { texts } from "../texts";
import { useTitle } from "../title";
import { PlayerLink } from "./PlayerLink";
import { RatingChange, changes } from "./RatingChange";
import { recordOfGame } from "./record";
import { hasty, isArchived, source, useAnswer } from "./source";
import { Unanswered } from "./Unanswered";
import { dayText, playerText } from "./words";

/** `game` is a feed number or a room. */
export function GameScreen({ game: name, ply }: { game: string; ply: number | null }) {
  const { archive, home, room } = texts.value;
  const key = isArchived.value ? name : null;
  const { answer: game, error, again } = useAnswer(key, () => openGame(name));
  const isMissing = error instanceof ArchiveError && error.status === 404;
  useSoon(isMissing, again);
  useRoom(name, ply, isMissing);
  useTitle(game ? game.players.map(playerText).join(` ${home.versus} `) : archive.record);
  if (game) return <Shown game={game} name={name} ply={ply} />;
  return (
    <div class="archive">
      <h1>{archive.record}</h1>
      <Unanswered error={error} again={again} unknown={`${room.gone} ${archive.notYet}`}>
        <a class="button" href="#/">
          {room.toLobby}
        </a>
      </Unanswered>
    </div>
  );
}

/** The statuses of proxies without a server behind them. */
const AWAY: ReadonlySet<number | null> = new Set([502, 503, 504]);

/** Whether the archive has not answered at all. */
const isUnheard = (error: unknown): boolean =>
  error instanceof ArchiveError && (error.status === null || AWAY.has(error.status));

/** The game from the archive; from this browser if it was opened here before and the archive does not answer.
 * Without a connection, one try is enough. */
async function openGame(name: string): Promise<Archive.WholeGame> {
  const before = connected.value ? null : await keptGames.find(name);
  const from = before ? hasty : source;
  return keptGames.open(name, () => from.game(name), isUnheard);
}

/** How often, and after how many ms, to ask again for a game that is not there yet. */
const SOON = { times: 3, after: 3_000 };

/** Ask again for a missing game: it may have just ended. */
function useSoon(isMissing: boolean, again: () => void): void {
  const times = useRef(0);
  useEffect(() => {
    if (!isMissing || times.current++ >= SOON.times) return;
    const timer = setTimeout(again, SOON.after);
    return () => clearTimeout(timer);
  }, [isMissing]);
}

/** A missing game may still be played: then go to its room. Does nothing if the room has led here. */
function useRoom(name: string, ply: number | null, isMissing: boolean): void {
  useEffect(() => {
    if (!isMissing || !ROOM_NAME.test(name) || route.peek().at !== "game") return;
    const [room, leave] = visit(name, null);
    const look = () => {
      if (!room.state || room.state.status === "over") return;
      location.replace(`${roomPath(name)}${ply === null ? "" : `/${ply}`}`);
    };
    const stop = room.listen(look);
    look();
    return () => {
      stop();
      leave();
    };
  }, [isMissing]);
}

function Shown({ game, name, ply }: { game: Archive.WholeGame; name: string; ply: number | null }) {
  const { archive } = texts.value;
  const record = useMemo(() => recordOfGame(game), [game]);
  const boards = useMemo(() => keptGames.boards(game, client), [game]);
  return (
    <div class="replay">
      {record ? (
        <Replay record={record} first={ply} boards={boards} isHere />
      ) : (
        <>
          <h1>{archive.record}</h1>
          <p class="refusal" role="alert">
            {archive.noRules}
          </p>
        </>
      )}
      <About game={game} name={name} />
    </div>
  );
}

/** How the game changed ratings, or why it did not. */
function Rated({ game }: { game: Archive.WholeGame }) {
  const { rating } = texts.value;
  if (game.unrated) return <>{rating.unrated(rating.reasons[game.unrated] ?? game.unrated)}</>;
  return <>{changes(game) ?? (game.rated && <RatingChange game={game.feed} ended={game.ended} />)}</>;
}

/** Who played what, and when. */
function About({ game, name }: { game: Archive.WholeGame; name: string }) {
  const { archive, agreements, home, room } = texts.value;
  const holders = useMemo(() => holdersOf(game.events), [game]);
  return (
    <section class="panel">
      <p>
        {game.players.map((player, seat) => (
          <span key={seat}>
            {seat > 0 && ` ${home.versus} `}
            <PlayerLink name={playerText(player)} of={player.id} />
            {player.bot && <span class="tag">{home.bot}</span>}{" "}
            <ChallengeLink of={challengeable(player.id, player.name, holders[seat] ?? {})} />
          </span>
        ))}
        {" · "}
        {gameText(game.game, game.size, game.clock)}, {archive.ended(dayText(game.ended))}.
      </p>
      <p class="note">
        <Rated game={game} />
      </p>
      {game.amendment && <p class="note">{archive.voided(game.amendment.text)}</p>}
      {game.rematch_of && (
        <a class="button" href={gamePath(game.rematch_of)}>
          {agreements.toBefore}
        </a>
      )}
      <Share link={gameLink(game, name)} label={room.shareWatch} />
    </section>
  );
}
