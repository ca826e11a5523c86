/** A record, action by action. The boards come from the server, and the page compares them with the
 * record. */

import {
  timeLeft,
  type Account,
  type GameDocument,
  type Line,
  type PositionState,
  type RoomRecord,
  type RoomState,
  type Seat,
} from "@pierule/client";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { analyze } from "../analysis/kept";
import { announce } from "../announce";
import { PlayerLink } from "../archive/PlayerLink";
import { isArchived, isEvaluated } from "../archive/source";
import { Lazy } from "../archive/Lazy";
import { Board } from "../board/Board";
import { changesOf } from "../board/changes";
import { pointsOf } from "../board/geometry";
import { download } from "../download";
import { gameOf } from "../games/documents";
import type { Boards } from "../offline/games";
import { isScored, marksOf, useAccount } from "../room/account";
import { Actions, Steps } from "../room/Actions";
import { timeText } from "../room/times";
import { CopyRecord, recordName, recordText } from "../room/CopyRecord";
import { History } from "../room/history";
import { plyText } from "../room/plies";
import { actionsOf, chainHolds, firstDifference, rulesOf, wholeOf } from "../room/record";
import { resultText, whyClosed } from "../room/result";
import { Score } from "../room/Score";
import { namesOf } from "../room/seated";
import { colorOf } from "../room/seats";
import { gamePath, roomPath, root, route } from "../route";
import { client, welcome } from "../server";
import { turned } from "../settings";
import { texts } from "../texts";
import { clocksOf, type Moment } from "./clocks";
import { faultText } from "./fault";

interface ReplayProps {
  record: RoomRecord;
  /** The ply to look at first. */
  first?: number | null;
  /** Where the boards come from. */
  boards?: Boards;
  /** Whether the game was played on this server, so that names lead to its players. */
  isHere?: boolean;
}

export function Replay({ record, first, boards = client, isHere = false }: ReplayProps) {
  const { replay } = texts.value;
  const known = useRecord(record, boards);
  const { history, actions } = known;
  const [ply, setPly] = useState(Math.min(first ?? 0, actions.length));
  const game = gameOf(record.options.game);
  const account = useAccount(known.ready && isScored(record.final) ? known.line : null, boards);
  const look = (to: number) => setPly(Math.max(0, Math.min(actions.length, to)));
  useNews(game, actions, ply, history.at(ply));
  const now = (ply === actions.length ? known.clocks?.final : known.clocks?.moments[ply]) ?? null;
  return (
    <div class="table">
      <div class="play">
        <div class="field">
          <h1 class="names">
            <Names {...{ record, isHere, now }} final={history.at(actions.length)} shown={history.at(ply)} />
            <small>{replay.of(record.room)}</small>
          </h1>
          <div class="board-box">
            {game && (
              <ReplayBoard game={game} history={history} actions={actions} ply={ply} account={account} />
            )}
          </div>
        </div>
        <div class="now">
          <Steps actions={actions} ply={ply} live look={look} />
        </div>
      </div>
      <Beside {...{ record, game, known, account, ply, look }} />
    </div>
  );
}

/** Say aloud which ply is shown, once it is another one. */
function useNews(
  game: GameDocument | null,
  actions: readonly string[],
  ply: number,
  position: PositionState | null,
): void {
  const shown = useRef(ply);
  useEffect(() => {
    if (!game || !position || shown.current === ply) return;
    shown.current = ply;
    announce(plyText(game, ply, actions[ply - 1] ?? "", position));
  }, [ply, position]);
}

interface NamesProps {
  record: RoomRecord;
  isHere: boolean;
  final: PositionState | null;
  shown: PositionState | null;
  /** The clocks then, if they are known. */
  now: Moment | null;
}

/** The players, with their colors, scores and clocks. */
function Names({ record, isHere, final, shown, now }: NamesProps) {
  const { colors, home, room } = texts.value;
  const black = final?.black ?? null;
  return (
    <>
      {namesOf(record).map((name, seat) => {
        const color = colorOf(black, seat);
        return (
          <span key={seat}>
            {seat > 0 && `${home.versus} `}
            {color && <span class={`token ${color}`} role="img" aria-label={colors[color]} />}{" "}
            <PlayerLink name={name} of={isHere ? (record.seats[seat]?.user ?? null) : null} />{" "}
            {color && shown?.black != null && (
              <b title={room.score}>{shown.score[color === "black" ? 0 : 1]}</b>
            )}{" "}
            {now && <Left control={record.options.control!} now={now} seat={seat as Seat} />}
          </span>
        );
      })}
    </>
  );
}

interface LeftProps {
  control: NonNullable<RoomRecord["options"]["control"]>;
  now: Moment;
  seat: Seat;
}

/** What somebody's clock showed. Where each turn has a time of its own, that is always the same. */
function Left({ control, now, seat }: LeftProps) {
  if (!("main" in control)) return null;
  const { clocks, home } = texts.value;
  const { main, periods, period } = timeLeft(control, now.clock, seat, now.at);
  return (
    <time class="left" title={home.clock}>
      {timeText(main || period)}
      {control.kind === "byoyomi" && ` ${clocks.periods(periods)}`}
    </time>
  );
}

interface BesideProps {
  record: RoomRecord;
  game: GameDocument | null;
  known: ReturnType<typeof useRecord>;
  account: Account | null;
  ply: number;
  look: (ply: number) => void;
}

/** How the game ended, what was played, and what you can do with the record. */
function Beside({ record, game, known, account, ply, look }: BesideProps) {
  const { history, actions, ready, fault, clocks } = known;
  const times = useMemo(() => actionsOf(record).map(({ took }) => took), [record]);
  const final = history.at(actions.length);
  const whole = ready && !fault;
  const playedBy = (at: number) => history.colorOf(at);
  return (
    <aside class="side">
      {game && <Outcome game={game} record={record} final={final} account={account} />}
      {whole && <Study record={record} ply={ply} />}
      <Actions game={game} actions={actions} times={times} ply={ply} look={look} colorOf={playedBy} />
      <Checked fault={fault} ready={ready} />
      {whole && <Saved whole={wholeOf(record, final, clocks?.final.clock ?? null)} />}
      {/* The explorer helps nobody in a game that is still running. */}
      {game && isExplored(record) && (
        <Lazy show={({ Explorer }) => <Explorer game={game} record={record} actions={actions} ply={ply} />} />
      )}
    </aside>
  );
}

/** Opens the analysis of a game that is over, at this ply. Going back shows the ply again. */
function Study({ record, ply }: { record: RoomRecord; ply: number }) {
  const { analysis: words } = texts.value;
  if (record.final.status !== "over") return null;
  const study = (evaluates = false) => {
    keepPly(ply);
    analyze(record, ply, evaluates);
  };
  return (
    <div class="buttons">
      <button onClick={() => study()}>{words.fromHere}</button>
      {isEvaluated.value && <button onClick={() => study(true)}>{words.evaluation.evaluate}</button>}
    </div>
  );
}

/** Keep in the address of a game which ply is shown. */
function keepPly(ply: number): void {
  const to = route.peek();
  const path = to.at === "game" ? gamePath(to.game) : to.at === "room" && roomPath(to.room, to.invitation);
  if (path) history.replaceState(history.state, "", `${root}${path}/${ply}`);
}

/** Copies or downloads the record, if the page knows all of it. */
function Saved({ whole }: { whole: RoomRecord | null }) {
  return (
    whole && (
      <div class="buttons">
        <CopyRecord record={() => Promise.resolve(whole)} />
        <button onClick={() => download(recordName(whole.room), recordText(whole))}>
          {texts.value.room.download}
        </button>
      </div>
    )
  );
}

/** Whether the archive counts positions like those of a record: it does so for the newest rules only. */
function isExplored(record: RoomRecord): boolean {
  const known = welcome.value?.games.find(({ game }) => game === record.options.game);
  const isNewest = Math.max(...(known?.rules ?? [])) === rulesOf(record);
  return !!isArchived.value && isNewest && record.final.status === "over";
}

/** The positions of a record; whether it has been checked, and a sentence about what is wrong, if anything
 * is. */
function useRecord(record: RoomRecord, boards: Boards) {
  const { replay } = texts.value;
  const history = useMemo(() => new History(boards), [record]);
  const actions = useMemo(() => actionsOf(record).map(({ action }) => action), [record]);
  const line = useMemo<Line>(() => {
    const { game, size } = record.options;
    return { game, size, actions, rules: rulesOf(record) };
  }, [record]);
  const [fault, setFault] = useState<string | null>(null);
  const [ready, setReady] = useState(false);
  useEffect(() => {
    history.show(line).then(
      () => {
        const at = firstDifference(record, history.positions.value);
        if (at !== null) setFault(replay.broken(replay.digest(at)));
        else if (!chainHolds(record)) setFault(replay.broken(replay.chain));
        setReady(true);
      },
      (error: Error) => setFault(faultText(error, gameOf(record.options.game))),
    );
  }, [record]);
  const clocks = useMemo(() => {
    if (!ready || fault) return null;
    return clocksOf(record, history.at(actions.length)?.to_act ?? null);
  }, [record, ready, fault]);
  return { history, actions, line, ready, fault, clocks };
}

interface ReplayBoardProps {
  game: GameDocument;
  history: History;
  actions: readonly string[];
  ply: number;
  account: Account | null;
}

function ReplayBoard({ game, history, actions, ply, account }: ReplayBoardProps) {
  const position = history.at(ply);
  const action = ply ? actions[ply - 1]! : null;
  if (!position) return null;
  const { size, cells } = position;
  return (
    <Board
      game={game}
      size={size}
      cells={cells}
      turned={turned.value === "yes"}
      last={action ? pointsOf(action, size, game.segments ?? false) : []}
      changes={changesOf(game, size, history.at(ply - 1)?.cells ?? null, cells, action)}
      marks={marksOf(game, size, ply === actions.length ? account : null)}
    />
  );
}

interface OutcomeProps {
  game: GameDocument;
  record: RoomRecord;
  final: PositionState | null;
  account: Account | null;
}

/** How the game of a record ended. */
function Outcome({ game, record, final, account }: OutcomeProps) {
  const { result } = record.final;
  if (!final || !result) return null;
  const why = whyClosed(record.events);
  return (
    <div class="controls">
      <p class="prompt result">
        {resultText(game, { position: final, result } as RoomState, namesOf(record))}
      </p>
      {why && <p class="note">{why}</p>}
      <Score game={game} account={account} />
    </div>
  );
}

function Checked({ fault, ready }: { fault: string | null; ready: boolean }) {
  if (!fault) return ready ? <p class="note">{texts.value.replay.verified}</p> : null;
  return (
    <p class="refusal" role="alert">
      {fault}
    </p>
  );
}
