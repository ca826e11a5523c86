/** Below a game: who watches, its record, its rules, its link, and the games before and after it. */

import { useAttempt } from "../account/attempt";
import { analyze } from "../analysis/kept";
import { download } from "../download";
import { roomLink } from "../links";
import { roomPath } from "../route";
import { texts } from "../texts";
import { CopyRecord, recordName, recordText } from "./CopyRecord";
import { Rated } from "./Rated";
import { Refusal } from "./Refusal";
import { receiptedRecordOf, recordOf } from "./saving";
import { Share } from "./Share";
import type { Table } from "./table";

export function Footer({ table }: { table: Table }) {
  const { room: words } = texts.value;
  const state = table.state.value!;
  const shown = state.access !== "private" || table.invitation !== null;
  const watches = !table.seats.value.length && state.status === "running";
  return (
    <footer class="footer">
      {table.presence.value && <span class="spectators">{words.spectators(others(table))}</span>}
      {!!state.delay && !watches && <span class="spectators">{words.delayed(state.delay)}</span>}
      <Rated state={state} />
      <Ways table={table} />
      {state.status === "running" && shown && (
        <details>
          <summary>{words.share}</summary>
          <Share link={roomLink(state, table.invitation)} label={words.shareWatch} />
        </details>
      )}
    </footer>
  );
}

/** What you can do with the game, and where you can go from it. */
function Ways({ table }: { table: Table }) {
  const { room: words, agreements, analysis } = texts.value;
  const { said, attempt } = useAttempt();
  const state = table.state.value!;
  const isOver = state.status === "over";
  const path = (room: string) => roomPath(room, table.invitation);
  const study = () => attempt(async () => analyze(await recordOf(state), table.ply.value));
  const save = () =>
    attempt(async () => download(recordName(state.room), recordText(await receiptedRecordOf(state))));
  return (
    <div class="buttons">
      {state.rematch_of && (
        <a class="button" href={path(state.rematch_of)}>
          {agreements.toBefore}
        </a>
      )}
      {isOver && state.ply > 0 && <button onClick={() => void study()}>{analysis.analyze}</button>}
      <button onClick={() => void save()}>{words.download}</button>
      {isOver && <CopyRecord record={() => receiptedRecordOf(state)} />}
      <a class="button" href={`#/rules/${state.position.game}`}>
        {words.rules}
      </a>
      {said && <Refusal text={said} />}
    </div>
  );
}

/** How many others watch. */
function others(table: Table): number {
  const { spectators } = table.presence.value!;
  return Math.max(0, spectators - (table.seats.value.length ? 0 : 1));
}
