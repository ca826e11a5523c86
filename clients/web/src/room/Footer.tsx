/** Below a game: who watches, its record, its rules, its link, and the games before and after it. */

import { analyze } from "../analysis/kept";
import { roomLink } from "../links";
import { roomPath } from "../route";
import { texts } from "../texts";
import { download } from "../download";
import { CopyRecord, recordName, recordText } from "./CopyRecord";
import { receiptedRecordOf, recordOf } from "./saving";
import { Rated } from "./Rated";
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

/** What to do with the game, and where to go from it. */
function Ways({ table }: { table: Table }) {
  const { room: words, agreements } = texts.value;
  const state = table.state.value!;
  const path = (room: string) => roomPath(room, table.invitation);
  const save = async () => {
    const record = await receiptedRecordOf(state);
    download(recordName(state.room), recordText(record));
  };
  return (
    <div class="buttons">
      {state.rematch_of && (
        <a class="button" href={path(state.rematch_of)}>
          {agreements.toBefore}
        </a>
      )}
      <Study table={table} />
      <button onClick={() => void save()}>{words.download}</button>
      {state.status === "over" && <CopyRecord record={() => receiptedRecordOf(state)} />}
      <a class="button" href={`#/rules/${state.position.game}`}>
        {words.rules}
      </a>
    </div>
  );
}

/** To the analysis of a game that is over, where it is looked at. */
function Study({ table }: { table: Table }) {
  const state = table.state.value!;
  if (state.status !== "over" || !state.ply) return null;
  const study = async () => analyze(await recordOf(state), table.ply.value);
  return <button onClick={() => void study()}>{texts.value.analysis.analyze}</button>;
}

/** How many watch besides you. */
function others(table: Table): number {
  const { spectators } = table.presence.value!;
  return Math.max(0, spectators - (table.seats.value.length ? 0 : 1));
}
