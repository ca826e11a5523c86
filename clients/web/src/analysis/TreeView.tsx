/** The tree beside the board: the main line, and after each action the alternatives to it. */

import type { GameDocument } from "@pierule/client";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { wordText } from "../games/words";
import { language } from "../settings";
import { KeysLink } from "../Keys";
import { texts } from "../texts";
import type { AnalysisTable } from "./table";
import { ROOT, mainLine, nodeOf, rowsOf, type Row } from "./tree";

/** Deeper rows than this are not indented further. */
const DEEPEST = 5;

interface Props {
  table: AnalysisTable;
  game: GameDocument;
}

export function TreeView({ table, game }: Props) {
  const { analysis: words } = texts.value;
  const { value: tree } = table.tree;
  const { value: at } = table.at;
  const list = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => rowsOf(tree), [tree]);
  const main = useMemo(() => new Set(mainLine(tree)), [tree]);
  useEffect(() => {
    const box = list.current!;
    const current = box.querySelector<HTMLElement>('[aria-current="true"]');
    if (!current) return;
    box.scrollTop = current.offsetTop - box.clientHeight / 2;
    if (box.contains(document.activeElement)) current.focus({ preventScroll: true });
  }, [at, rows]);
  const node = (id: number) => <NodeButton key={id} {...{ table, game, id, isMain: main.has(id) }} />;
  return (
    <section class="tree" aria-label={words.tree}>
      <div class="rows" ref={list}>
        <div class="row">{node(ROOT)}</div>
        {rows.map((row) => (
          <div key={row.ids[0]} {...lookOf(row)}>
            {row.ids.map(node)}
          </div>
        ))}
      </div>
      {rows.length === 0 && <p class="empty">{words.empty}</p>}
      <KeysLink />
    </section>
  );
}

const lookOf = ({ depth }: Row) => ({
  class: `row${depth ? " variation" : ""}`,
  style: { "--depth": Math.min(depth, DEEPEST) },
});

function NodeButton({ table, game, id, isMain }: Props & { id: number; isMain: boolean }) {
  const { analysis: words } = texts.value;
  const { value: tree } = table.tree;
  const { ply, action, symbol, comment, parent } = nodeOf(tree, id);
  const current = table.at.value === id;
  const text = ply ? wordText(game, action) : words.opening;
  const label = useMemo(() => {
    const all = parent === null ? [id] : nodeOf(tree, parent).children;
    const more = [
      symbol && words.symbols[symbol],
      all.length > 1 && words.variation(all.indexOf(id) + 1, all.length),
      ply > 0 && isMain && words.main,
      table.played.has(id) && words.played,
      comment && words.commented,
    ];
    return [ply ? words.node(ply, text) : text, ...more.filter(Boolean)].join(", ");
  }, [tree, id, isMain, language.value, words]);
  return (
    <button
      class={`node${isMain ? " main" : ""}${table.played.has(id) ? " played" : ""}`}
      aria-current={current}
      aria-label={label}
      title={comment || undefined}
      tabIndex={current ? 0 : -1}
      onClick={() => table.go(id)}
    >
      {ply > 0 && <span class="number">{ply}</span>} {text}
      {symbol && <span class="symbol">{symbol}</span>}
      {comment && <span class="commented">”</span>}
    </button>
  );
}
