/** What you think of the action that you look at, and what you can do with its variation. */

import { texts } from "../texts";
import type { AnalysisTable } from "./table";
import { MOST_COMMENT, ROOT, SYMBOLS, mainLine, nodeOf } from "./tree";

export function Notes({ table }: { table: AnalysisTable }) {
  const { analysis: words } = texts.value;
  const { value: at } = table.at;
  const { comment } = nodeOf(table.tree.value, at);
  return (
    <section class="notes" aria-label={words.notes}>
      {at !== ROOT && <Symbols table={table} />}
      <label>
        {words.comment}
        <textarea
          key={at}
          rows={3}
          maxLength={MOST_COMMENT}
          value={comment}
          onInput={(event) => table.annotate({ comment: event.currentTarget.value })}
        />
      </label>
      <Changes table={table} />
    </section>
  );
}

function Symbols({ table }: { table: AnalysisTable }) {
  const { analysis: words } = texts.value;
  const { symbol } = nodeOf(table.tree.value, table.at.value);
  return (
    <div class="symbols" role="group" aria-label={words.mark}>
      {SYMBOLS.map((each) => (
        <button
          key={each}
          aria-pressed={each === symbol}
          aria-label={words.symbols[each]}
          title={words.symbols[each]}
          onClick={() => table.annotate({ symbol: each === symbol ? "" : each })}
        >
          {each}
        </button>
      ))}
    </div>
  );
}

/** The buttons that make this the main line, delete it, and take the deletion back. */
function Changes({ table }: { table: AnalysisTable }) {
  const { analysis: words } = texts.value;
  const isMain = [ROOT, ...mainLine(table.tree.value)].includes(table.at.value);
  const { value: deleted } = table.deleted;
  return (
    <div class="buttons">
      {!isMain && <button onClick={() => table.promote()}>{words.promote}</button>}
      {table.isRemovable.value && <button onClick={() => table.remove()}>{words.remove}</button>}
      {deleted && (
        <>
          <span class="note" role="status">
            {words.removed(deleted.count)}
          </span>
          <button onClick={() => table.restore()}>{words.restore}</button>
        </>
      )}
    </div>
  );
}
