/** A record file, action by action; the boards come from the server, and are held against the file. */

import { Refused, type Line, type RoomRecord, type RoomState } from "@pierule/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import { Board } from "../board/Board";
import { changesOf } from "../board/changes";
import { pointsOf } from "../board/geometry";
import { gameOf } from "../games/documents";
import { isScored, marksOf, useAccount } from "../room/account";
import { Actions, Steps } from "../room/Actions";
import { History } from "../room/history";
import { actionsOf, chainHolds, firstDifference, rulesOf, wordOf } from "../room/record";
import { resultText } from "../room/result";
import { Score } from "../room/Score";
import { client } from "../server";
import { texts } from "../texts";
import { RecordDrop } from "./RecordDrop";
import { opened } from "./opened";

export function ReplayScreen() {
  const { replay } = texts.value;
  const record = opened.value;
  return (
    <div class="replay">
      {(!record || record === "bad") && <h1>{replay.title}</h1>}
      {record === "bad" && (
        <p class="refusal" role="alert">
          {replay.bad}
        </p>
      )}
      {record && record !== "bad" && <Shown key={record.room} record={record} />}
      <RecordDrop text={record ? `${replay.other}:` : replay.drop} />
      {!record && <p class="hint-text">{replay.hint}</p>}
    </div>
  );
}

function Shown({ record }: { record: RoomRecord }) {
  const { replay, room } = texts.value;
  const history = useMemo(() => new History(client), [record]);
  const actions = useMemo(() => actionsOf(record).map(({ action }) => action), [record]);
  const [fault, setFault] = useState<string | null>(null);
  const [ready, setReady] = useState(false);
  const [ply, setPly] = useState(0);
  const game = gameOf(record.options.game);
  const line = useMemo<Line>(() => {
    const { game, size } = record.options;
    return { game, size, actions, rules: rulesOf(record) };
  }, [record]);
  const account = useAccount(ready && isScored(record.final) ? line : null);
  useEffect(() => {
    history.show(line).then(
      () => {
        const at = firstDifference(record, history.positions.value);
        if (at !== null) setFault(replay.digest(at));
        else if (!chainHolds(record)) setFault(replay.chain);
        setReady(true);
      },
      (error: Error) => setFault(error instanceof Refused ? error.message : String(error)),
    );
  }, [record]);
  const position = history.at(ply);
  const action = ply ? actions[ply - 1]! : null;
  const names = record.seats.map((holder, seat) =>
    holder ? holder.name || room.unnamed : seat ? room.second : room.first,
  );
  const final = history.at(actions.length);
  const word = wordOf(record.events);
  const look = (to: number) => setPly(Math.max(0, Math.min(actions.length, to)));
  return (
    <div class="table">
      <div class="play">
        <div class="field">
          <h1 class="names">
            {replay.of(record.room)} <small>{names.join(` ${texts.value.home.versus} `)}</small>
          </h1>
          <div class="board-box">
            {game && position && (
              <Board
                game={game}
                size={position.size}
                cells={position.cells}
                last={action ? pointsOf(action, position.size, game.segments ?? false) : []}
                changes={changesOf(
                  game,
                  position.size,
                  history.at(ply - 1)?.cells ?? null,
                  position.cells,
                  action,
                )}
                marks={marksOf(game, position.size, ply === actions.length ? account : null)}
              />
            )}
          </div>
        </div>
        <div class="now">
          <Steps actions={actions} ply={ply} live look={look} />
        </div>
      </div>
      <aside class="side">
        {fault && (
          <p class="refusal" role="alert">
            {replay.broken(fault)}
          </p>
        )}
        {ready && !fault && <p class="note">{replay.verified}</p>}
        {game && final && record.final.result && (
          <div class="controls">
            <p class="prompt result">
              {resultText(game, { position: final, result: record.final.result } as RoomState, names)}
            </p>
            {word && <p class="note">{texts.value.result.word(word)}</p>}
            <Score game={game} account={account} />
          </div>
        )}
        <Actions actions={actions} ply={ply} look={look} />
      </aside>
    </div>
  );
}
