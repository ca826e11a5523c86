/** What others played in a position of a finished game, and how that ended (SPEC 27.13). The game itself does
 * not count. */

import type { archive as Archive, GameDocument, RoomRecord } from "@pierule/client";
import { useEffect, useState } from "preact/hooks";
import { wordText } from "../games/words";
import { texts } from "../texts";
import { Interval } from "./Interval";
import { source, useAnswer } from "./source";
import { Unanswered } from "./Unanswered";
import { outcomeText } from "./words";

/** The archive knows the positions after so many actions (SPEC 27.13). */
const PLIES = 29;
/** How many actions are shown until you ask for more. */
const FIRST = 8;
/** How long you must stay at a position before the page asks about it, in ms: while you step on, it does
 * not. */
const REST = 300;

interface ExplorerProps {
  game: GameDocument;
  record: RoomRecord;
  actions: readonly string[];
  ply: number;
}

export function Explorer({ game, record, actions, ply }: ExplorerProps) {
  const { position } = texts.value.archive;
  const rested = useRested(ply);
  return (
    <section class="explorer" aria-labelledby="explorer">
      <h2 id="explorer">{position.title}</h2>
      {rested > PLIES ? (
        <p class="note">{position.late(PLIES)}</p>
      ) : (
        <Found
          key={record.room}
          game={game}
          size={record.options.size}
          room={record.room}
          actions={actions.slice(0, rested)}
          next={actions[rested] ?? null}
        />
      )}
    </section>
  );
}

/** A value once it has not changed for a while. */
function useRested<T>(value: T): T {
  const [rested, setRested] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setRested(value), REST);
    return () => clearTimeout(timer);
  }, [value]);
  return rested;
}

interface FoundProps {
  game: GameDocument;
  size: number;
  /** The room of this game. */
  room: string;
  actions: readonly string[];
  /** The next action of this game. */
  next: string | null;
}

function Found({ game, size, room, actions, next }: FoundProps) {
  const { position } = texts.value.archive;
  const line = actions.join(" ");
  const { answer, error, again } = useAnswer(line, () =>
    source.position(game.game, actions, { size, without: room, ...(next !== null && { played: next }) }),
  );
  const [whole, setWhole] = useState<string | null>(null);
  if (!answer) return <Unanswered error={error} again={again} unknown={position.never} quiet />;
  if (!answer.moves.length) return <p class="note">{position.never}</p>;
  const shown = whole === line ? answer.moves : answer.moves.slice(0, FIRST);
  return (
    <>
      <p>{position.reached(answer.games)}</p>
      <ol>
        {shown.map((move) => (
          <Move key={move.action} game={game} move={move} isNext={move.action === answer.played} />
        ))}
      </ol>
      {shown.length < answer.moves.length && (
        <button onClick={() => setWhole(line)}>{position.more(answer.moves.length)}</button>
      )}
    </>
  );
}

interface MoveProps {
  game: GameDocument;
  move: Archive.MoveLine;
  isNext: boolean;
}

function Move({ game, move: { action, results }, isNext }: MoveProps) {
  const { archive } = texts.value;
  return (
    <li aria-current={isNext ? "true" : undefined}>
      <span>
        <strong>{wordText(game, action)}</strong>
        {isNext && <span class="tag">{archive.position.here}</span>}
      </span>
      <span>
        {archive.games(results.games)}: {outcomeText(results)}
      </span>
      <Interval label={archive.position.black} of={results.share} />
    </li>
  );
}
