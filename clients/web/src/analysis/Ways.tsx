/** What you can do with an analysis: save it as a file, or share it by a link. */

import { useEffect, useState } from "preact/hooks";
import { download } from "../download";
import { root } from "../route";
import { Share } from "../room/Share";
import { texts } from "../texts";
import { packed, written } from "./file";
import { analysisPath } from "./kept";
import type { AnalysisTable } from "./table";

export function Ways({ table, isKept }: { table: AnalysisTable; isKept: boolean }) {
  const { analysis: words, room } = texts.value;
  const { subject } = table;
  const save = () => {
    const name = subject.record?.room ?? `${subject.game}-${subject.size}`;
    download(`pierule-analysis-${name}.json`, `${JSON.stringify(written(subject, table.tree.value))}\n`);
  };
  return (
    <footer class="footer">
      {!isKept && (
        <p class="refusal" role="alert">
          {words.unkept}
        </p>
      )}
      <div class="buttons">
        <button onClick={save}>{words.save}</button>
        <a class="button" href={`#/rules/${subject.game}`}>
          {room.rules}
        </a>
        <a class="button" href="#/analysis">
          {words.others}
        </a>
      </div>
      <Link table={table} />
    </footer>
  );
}

/** The link to an analysis as it is now. It is computed when you open it. */
function Link({ table }: { table: AnalysisTable }) {
  const { analysis: words } = texts.value;
  const [open, setOpen] = useState(false);
  const [data, setData] = useState<string | null | undefined>(undefined);
  const { value: tree } = table.tree;
  useEffect(() => {
    if (!open) return;
    let wanted = true;
    void packed(written(table.subject, tree)).then((found) => wanted && setData(found));
    return () => void (wanted = false);
  }, [open, tree]);
  return (
    <details onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{words.share}</summary>
      {data === null && <p class="note">{words.tooLong}</p>}
      {data && (
        <Share key={data} link={new URL(`${analysisPath("link")}/${data}`, root).href} label={words.link} />
      )}
    </details>
  );
}
