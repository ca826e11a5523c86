/** The analysis of a game: what could have been played, and what you think of it. */

import type { GameDocument } from "@pierule/client";
import { computed } from "@preact/signals";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { announce } from "../announce";
import { Board } from "../board/Board";
import { changesOf } from "../board/changes";
import { partOf } from "../board/draft";
import { pointsOf } from "../board/geometry";
import { failureOf, gameOf } from "../games/documents";
import { titleOf } from "../games/words";
import { refusalText } from "../refusals";
import { marksOf } from "../room/account";
import { Steps } from "../room/Actions";
import { Acting } from "../room/Controls";
import { useEscape } from "../room/escape";
import { useKeptFocus } from "../room/focus";
import { plyText } from "../room/plies";
import { actionsOf } from "../room/record";
import { Score } from "../room/Score";
import { recordTitle } from "../room/seated";
import { client, isAway, welcome } from "../server";
import { language, turned } from "../settings";
import { texts } from "../texts";
import { useTitle } from "../title";
import { AnalysesScreen, Unavailable } from "./AnalysesScreen";
import { unpacked, written, type Subject } from "./file";
import { keep, kept, receive } from "./kept";
import { Evaluation } from "./Evaluation";
import { Notes } from "./Notes";
import { Standing } from "./Standing";
import { AnalysisTable } from "./table";
import { listed, treeOf } from "./tree";
import { TreeView } from "./TreeView";
import { useBranching } from "./branching";
import { Ways } from "./Ways";
import "../styles/analysis.css";

export function AnalysisScreen({ name, data }: { name: string | null; data: string }) {
  if (name === "link") return <Linked data={data} />;
  return name === null ? <AnalysesScreen /> : <Opened name={name} />;
}

/** An analysis that came with a link. */
function Linked({ data }: { data: string }) {
  const { analysis: words } = texts.value;
  const [bad, setBad] = useState(false);
  useEffect(() => {
    let left = false;
    void unpacked(data).then((found) => {
      if (left) return;
      if (found) receive("link", data, found);
      else setBad(true);
    });
    return () => {
      left = true;
    };
  }, [data]);
  return bad ? <Unavailable text={words.badLink} /> : <p class="loading">{words.loading}</p>;
}

/** The empty board that a name such as `loose-9` means; null if there is no such game or size. */
function boardOf(name: string): Subject | null {
  const [, game, size] = /^(.+)-(\d+)$/.exec(name) ?? [];
  const known = welcome.value?.games.find((each) => each.game === game);
  if (!known || !known.sizes.includes(Number(size))) return null;
  return { game: known.game, size: Number(size), rules: Math.max(...(known.rules ?? [1])) };
}

function Opened({ name }: { name: string }) {
  const { analysis: words } = texts.value;
  const games = welcome.value?.games;
  const found = useMemo(() => {
    const before = kept(name);
    if (before) return before;
    const subject = boardOf(name);
    return subject && { analysis: written(subject, treeOf([])!), at: 0 };
  }, [name, games]);
  if (!games) return <p class="loading">{isAway.value ? words.offline : words.loading}</p>;
  if (!welcome.value!.features.includes("analysis")) return <Unavailable text={words.unable} />;
  if (!found) return <Unavailable text={words.gone} />;
  return <Loaded key={name} name={name} {...found} />;
}

function Loaded({ name, analysis, at }: { name: string } & NonNullable<ReturnType<typeof kept>>) {
  const { analysis: words, archive } = texts.value;
  const game = gameOf(analysis.game);
  const [isKept, setKept] = useState(true);
  const table = useMemo(() => {
    const played = analysis.record ? actionsOf(analysis.record).map(({ action }) => action) : [];
    const subject = { ...analysis };
    return new AnalysisTable(subject, treeOf(analysis.nodes, analysis.comment)!, at, played, {
      client,
      game: computed(() => gameOf(analysis.game)),
      keep: (tree, at) => {
        const number = listed(tree).numbers.get(at) ?? 0;
        setKept(keep(name, { analysis: written(subject, tree), at: number }));
      },
    });
  }, [name]);
  useEffect(() => () => table.close(), [table]);
  if (!game && failureOf(analysis.game)) return <Unavailable text={archive.unloaded} />;
  if (!game) return <p class="loading">{words.loading}</p>;
  return <Whole name={name} table={table} game={game} isKept={isKept} />;
}

export interface TableProps {
  table: AnalysisTable;
  game: GameDocument;
}

function Whole({ name, table, game, isKept }: TableProps & { name: string; isKept: boolean }) {
  const { analysis: words } = texts.value;
  const { game: of, size, record } = table.subject;
  const title = record ? words.of(recordTitle(record)) : words.board;
  useTitle(title);
  const element = useRef<HTMLDivElement>(null);
  useKeptFocus(element);
  useBranching(table);
  useNews(table, game);
  const actions = table.line.value.map((id) => table.tree.value.nodes.get(id)!.action);
  return (
    <div class="table analysis" ref={element}>
      <div class="play">
        <div class="field">
          <h1 class="names">
            {title} <small>{titleOf(of, size)}</small>
          </h1>
          <AnalysisBoard table={table} game={game} />
          <Standing table={table} />
        </div>
        <div class="now">
          <Now table={table} game={game} />
          <Steps actions={actions} ply={table.ply.value} live look={(to) => table.look(to)} />
        </div>
      </div>
      <aside class="side">
        <Evaluation name={name} table={table} game={game} />
        <TreeView table={table} game={game} />
        <Notes table={table} />
        <Score game={game} account={table.position.value?.black == null ? null : table.account.value} />
        <Ways table={table} isKept={isKept} />
      </aside>
    </div>
  );
}

/** What you can do at this position, or why you cannot. */
function Now({ table, game }: TableProps) {
  const { analysis: words } = texts.value;
  const { value: refused } = table.refused;
  const here = table.isHere.value && table.answers.value.has("");
  const isOver = table.position.value?.to_act == null;
  return (
    <div class="controls">
      {here && isOver && <p class="prompt">{words.over}</p>}
      {here && !isOver && <Acting key={table.at.value} table={table} game={game} />}
      {!here && !refused && <p class="prompt">{isAway.value ? words.offline : words.loading}</p>}
      {refused && (
        <p class="refusal" role="alert">
          {refused.code === "not_now" ? words.playing : refusalText(refused, game)}
        </p>
      )}
      {table.full.value && (
        <p class="refusal" role="alert">
          {words.full}
        </p>
      )}
    </div>
  );
}

function AnalysisBoard({ table, game }: TableProps) {
  const position = table.position.value;
  const { value: at } = table.at;
  const [action, before] = [table.last.value, table.before.value];
  const { value: draft } = table.draft;
  const changes = useMemo(
    () =>
      position ? changesOf(game, position.size, before?.cells ?? null, position.cells, action) : new Map(),
    [game, position, before, action],
  );
  const marks = useMarks(table, game);
  useEscape(table, true);
  if (!position) return <div class="board-box" />;
  const acting = table.isHere.value && position.to_act !== null;
  const template = table.answers.value.get("")?.template ?? [];
  const choose = (point: string, repeated: boolean) => void table.choose(point, at, repeated);
  return (
    <div class="board-box">
      <Board
        game={game}
        size={position.size}
        cells={position.cells}
        turned={turned.value === "yes"}
        last={action === null ? [] : pointsOf(action, position.size, game.segments ?? false)}
        changes={changes}
        targets={acting ? table.targets.value : new Set()}
        hinted={acting && !template.length && draft.picked.length > 0}
        picked={acting ? draft.picked : []}
        ghosts={table.ghosts.value}
        pointed={new Set(table.refused.value?.answer.points ?? [])}
        marks={marks}
        hover={partOf(draft, template)?.cell ?? null}
        {...(acting ? { choose } : {})}
      />
    </div>
  );
}

/** What counts at the end. */
function useMarks(table: AnalysisTable, game: GameDocument) {
  const account = table.position.value?.winner == null ? null : table.account.value;
  return useMemo(() => marksOf(game, table.subject.size, account), [game, account, language.value]);
}

/** Say aloud which node is shown. */
function useNews(table: AnalysisTable, game: GameDocument): void {
  const { value: at } = table.at;
  const position = table.isHere.value ? table.position.value : null;
  const begun = useRef(at);
  useEffect(() => {
    if (!position || begun.current === at) return;
    begun.current = at;
    const node = table.tree.value.nodes.get(at);
    if (!node) return; // it was deleted before this was drawn
    announce(plyText(game, node.ply, node.action, position));
  }, [at, position]);
}
