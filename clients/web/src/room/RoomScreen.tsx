/** A room: its board, and around it who plays, what to do, and what was played. */

import { Refused, pointName, type Seat } from "@pierule/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import { announce } from "../announce";
import { Board } from "../board/Board";
import { changesOf } from "../board/changes";
import { pointsOf } from "../board/geometry";
import { forget } from "../home/mine";
import { roomPath, type Route } from "../route";
import { client, visit } from "../server";
import { play } from "../sounds";
import { texts } from "../texts";
import { Actions } from "./Actions";
import { Controls, refusalText } from "./Controls";
import { Player, nameOf } from "./Players";
import { ghostsOf } from "./ghosts";
import { download, recordOf } from "./saving";
import { Share } from "./Share";
import { Table } from "./table";

export function RoomScreen({ room: id, invitation, ply, sit }: Extract<Route, { at: "room" }>) {
  const [table, setTable] = useState<Table | null>(null);
  useEffect(() => {
    const [room, leave] = visit(id, invitation);
    const made = new Table(room);
    setTable(made);
    return () => {
      made.close();
      leave();
    };
  }, [id, invitation]);
  const ready = table?.state.value != null;
  useEffect(() => {
    if (ready && ply !== null) void table!.look(ply);
  }, [ready, ply]);
  useEffect(() => {
    if (!ready || !sit) return;
    history.replaceState(null, "", roomPath(id, invitation)); // to come back here is not to sit down again
    if (table!.state.value!.status === "open" && !table!.seats.value.length) void table!.sit();
  }, [ready, sit]);
  const error = table?.error.value;
  useEffect(() => {
    if (error instanceof Refused && error.code === "unknown_room") forget(id);
  }, [error]);
  if (!table || (!ready && !error)) return <p class="loading">{texts.value.room.loading}</p>;
  return (
    <>
      {error && client.status.kind !== "stopped" && (
        <p class="banner" role="alert">
          {errorText(error)}
        </p>
      )}
      {ready && <Whole table={table} invitation={invitation} />}
    </>
  );
}

function errorText(error: Error): string {
  const { room } = texts.value;
  if (error instanceof Refused) return error.code === "unknown_room" ? room.gone : refusalText(error);
  return error.name === "Desync" ? room.desync : room.failed(error.message);
}

function Whole({ table, invitation }: { table: Table; invitation: string | null }) {
  const { room: words, games } = texts.value;
  const state = table.state.value!;
  const { game, size } = state.position;
  const bottom: Seat = table.seats.value[0] ?? 0;
  const mine = table.acting.value !== null;
  useEffect(() => {
    document.title = `${mine ? "● " : ""}${games[game]?.name ?? game} · Pierule`;
    return () => void (document.title = "Pierule");
  }, [mine, game]);
  useNews(table);
  return (
    <div class="table">
      <h1 class="aloud">{words.title(games[game]?.name ?? game, size)}</h1>
      <div class="field">
        <Player table={table} seat={bottom === 0 ? 1 : 0} />
        <TableBoard table={table} />
        <Player table={table} seat={bottom} />
      </div>
      <aside class="side">
        <Controls table={table} />
        <Seats table={table} invitation={invitation} />
        <Actions
          actions={state.actions}
          ply={table.ply.value}
          live={table.viewed.value === null}
          look={(to) => void table.look(to)}
        />
        <Footer table={table} invitation={invitation} />
      </aside>
    </div>
  );
}

/** Say aloud what was played, and let it be heard. */
function useNews(table: Table): void {
  const fresh = table.fresh.value;
  useEffect(() => {
    if (!fresh) return;
    const { board, and } = texts.value;
    const { position } = table.state.value!;
    const changes = changesOf(table.history.at(fresh.ply - 1), position, fresh.action);
    const named = (kind: string) =>
      [...changes]
        .filter(([, change]) => change === kind)
        .map(([index]) => pointName(index, position.size))
        .join(and);
    const before = table.history.at(fresh.ply - 1);
    const who = before?.to_act == null ? "" : nameOf(table, before.to_act);
    const more = (["flipped", "cut", "claimed"] as const).map(
      (kind) => named(kind) && board[kind](named(kind)),
    );
    announce([board.played(who, fresh.action), ...more.filter(Boolean)].join(" "));
    play("action");
  }, [fresh]);
}

function TableBoard({ table }: { table: Table }) {
  const position = table.position.value!;
  const state = table.state.value!;
  const ply = table.ply.value;
  const action = ply ? (state.actions[ply - 1] ?? null) : null;
  const looking = table.viewed.value !== null;
  const acting = !looking && table.acting.value !== null && table.sent.value?.kind !== "sending";
  const changes = useMemo(
    () => changesOf(table.before.value, position, action),
    [table.before.value, position, action],
  );
  const template = table.answers.value.get("")?.template?.length;
  const ghosts = looking ? undefined : ghostsOf(table);
  const refused = table.sent.value?.kind === "refused" ? table.sent.value.error.answer.points : null;
  const moving = !looking && table.fresh.value ? `${state.epoch}.${state.seq}` : null;
  const pieces = acting && !template ? colorNow(table) : null;
  return (
    <div class="board-box">
      <Board
        position={position}
        last={action === null ? [] : pointsOf(action, position.size)}
        changes={changes}
        motion={moving}
        targets={acting ? table.targets.value : new Set()}
        hinted={acting && hinted(table)}
        ghosts={ghosts ?? new Map()}
        sending={table.sent.value?.kind === "sending"}
        pointed={new Set(looking ? [] : (refused ?? []))}
        hover={pieces}
        {...(acting
          ? { choose: (point: string) => void table.choose(point).then(say), escape: () => table.undo() }
          : {})}
      />
    </div>
  );
}

const say = (refused: Refused | null) => refused && announce(refusalText(refused));

/** All targets are marked where a point alone does not tell: once something was picked. */
function hinted(table: Table): boolean {
  const position = table.state.value!.position;
  return (
    table.draft.value.picked.length > 0 &&
    !table.answers.value.get("")?.template?.length &&
    position.game !== "loose"
  );
}

/** The cell value of a stone of whoever acts now. */
function colorNow(table: Table): number | null {
  const { black, to_act } = table.state.value!.position;
  return black === null ? null : black === to_act ? 1 : 2;
}

/** What can be done about the seats: to take one, to invite somebody. */
function Seats({ table, invitation }: { table: Table; invitation: string | null }) {
  const { room: words } = texts.value;
  const state = table.state.value!;
  const [refused, setRefused] = useState<string | null>(null);
  const free = state.seats.some((holder) => !holder);
  const sit = async () => {
    setRefused(null);
    const answer = await table.sit();
    if (answer) setRefused(refusalText(answer));
  };
  if (state.status !== "open" || !free)
    return table.seats.value.length === 2 && state.status === "running" ? (
      <p class="note">{words.bothSeats}</p>
    ) : null;
  const seated = table.seats.value.length > 0;
  return (
    <section class="seats">
      {!seated && <p class="note">{words.seatFree}</p>}
      {!seated && (
        <button class="primary big" onClick={() => void sit()}>
          {words.playHere}
        </button>
      )}
      {seated && <Share path={roomPath(state.room, invitation)} open />}
      {seated && (
        <p class="note">
          <button class="link" onClick={() => void sit()}>
            {words.bothHere}
          </button>{" "}
          {words.bothHint}
        </p>
      )}
      {refused && (
        <p class="refusal" role="alert">
          {refused}
        </p>
      )}
    </section>
  );
}

function Footer({ table, invitation }: { table: Table; invitation: string | null }) {
  const { room: words } = texts.value;
  const state = table.state.value!;
  const { game } = state.position;
  const [sure, setSure] = useState(false);
  const plays = state.status === "running" && table.seats.value.length > 0;
  const save = async () => {
    const record = await recordOf(state);
    download(`pierule-${state.room}.json`, `${JSON.stringify(record)}\n`);
  };
  return (
    <footer class="footer">
      {table.presence.value && <span class="spectators">{words.spectators(others(table))}</span>}
      <div class="buttons">
        {plays && !sure && (
          <button class="danger" onClick={() => setSure(true)}>
            {words.resign}
          </button>
        )}
        <button onClick={() => void save()}>{words.download}</button>
        <a class="button" href={`#/rules/${game}`}>
          {words.rules}
        </a>
        {state.status === "over" && (
          <a class="button primary" href="#/">
            {words.rematchHome}
          </a>
        )}
      </div>
      {plays && sure && (
        <div class="sure" role="alertdialog" aria-label={words.resignSure}>
          <p>{words.resignSure}</p>
          <div class="buttons">
            <button
              class="danger"
              onClick={() => {
                setSure(false);
                void table.resign();
              }}
            >
              {words.resignYes}
            </button>
            <button onClick={() => setSure(false)}>{words.no}</button>
          </div>
        </div>
      )}
      {state.status !== "open" && (
        <details>
          <summary>{words.share}</summary>
          <Share path={roomPath(state.room, invitation)} open={false} />
        </details>
      )}
    </footer>
  );
}

/** How many watch besides oneself. */
function others(table: Table): number {
  const { spectators } = table.presence.value!;
  return Math.max(0, spectators - (table.seats.value.length ? 0 : 1));
}
