/** A room: its board, and around it who plays, what to do, and what was played. */

import { Refused, type Account, type GameDocument, type Seat } from "@pierule/client";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { announce } from "../announce";
import { Lazy } from "../archive/Lazy";
import { isArchived } from "../archive/source";
import { Board } from "../board/Board";
import { changesOf } from "../board/changes";
import { partOf, picksOf } from "../board/draft";
import { pointsOf } from "../board/geometry";
import { failureOf, gameOf } from "../games/documents";
import "../forced";
import { gameName } from "../games/words";
import { forget, remember } from "../home/mine";
import { gameText } from "../meeting/Meeting";
import { roomShown } from "../meeting/meeting";
import { whenIdle } from "../idle";
import { keptGames } from "../offline/games";
import { offline } from "../offline/offline";
import { refusalText } from "../refusals";
import { roomLink } from "../links";
import { go, roomPath, type Route } from "../route";
import { client, visit } from "../server";
import { confirming, language, turned } from "../settings";
import { texts } from "../texts";
import { useTitle } from "../title";
import { setApart, twin } from "../windows";
import { Absence } from "./Absence";
import { isScored, lineOf, marksOf, useAccount } from "./account";
import { Actions, Steps, type ActionsProps } from "./Actions";
import { Chat, ROOMY, useChat } from "./Chat";
import type { ChatModel } from "./chatModel";
import { Controls } from "./Controls";
import { useEscape } from "./escape";
import { Fault, faultText } from "./Fault";
import { useKeptFocus } from "./focus";
import { Footer } from "./Footer";
import { lookingAt, useNews } from "./news";
import { isBehind } from "./offers";
import { Player } from "./Players";
import { Preview } from "./preview";
import { Refusal } from "./Refusal";
import { Choices, Offers } from "./Agreements";
import { Score } from "./Score";
import { Share } from "./Share";
import { Signs } from "./Signs";
import { Table } from "./table";
import { useSifting } from "./sifting";

export function RoomScreen({ room: id, invitation, ply, sit }: Extract<Route, { at: "room" }>) {
  const table = useTable(id, invitation);
  const ready = table?.state.value != null;
  useArrival(table, ply, sit);
  const error = table?.error.value;
  const gone = error instanceof Refused && error.code === "unknown_room";
  useEffect(() => {
    if (gone) forget(id);
    if (error && !ready) roomShown.value = { room: id, plays: false };
  }, [error]);
  const game = table?.game.value ?? null;
  const kept = useKept(id, !ready && offline.value);
  if (!ready && (kept || (gone && isArchived.value)))
    return <Lazy show={({ GameScreen }) => <GameScreen game={id} ply={ply} />} />;
  const fault = error ?? (ready && !game ? failureOf(table!.state.value!.position.game) : null);
  if (!table || (!game && !fault)) return <p class="loading">{texts.value.room.loading}</p>;
  return (
    <>
      {fault && !(game && table.isGone.value) && client.status.kind !== "stopped" && (
        <p class="banner" role="alert">
          {faultText(fault)}{" "}
          {!game && (
            <a class="button" href="#/">
              {texts.value.room.toLobby}
            </a>
          )}
        </p>
      )}
      {game && <Whole table={table} game={game} />}
    </>
  );
}

/** Whether this browser keeps the game, which is over. Looked up only while it `counts`. */
function useKept(id: string, counts: boolean): boolean {
  const [kept, setKept] = useState(false);
  useEffect(() => {
    setKept(false);
    if (!counts) return;
    let isHere = true;
    void keptGames.find(id).then((found) => isHere && setKept(found !== null));
    return () => void (isHere = false);
  }, [id, counts]);
  return counts && kept;
}

/** The table of a room while its screen is shown. */
function useTable(id: string, invitation: string | null): Table | null {
  const [table, setTable] = useState<Table | null>(null);
  useEffect(() => {
    const [room, leave] = visit(id, invitation);
    const made = new Table(room, invitation, { client, confirming, remember, gameOf });
    setTable(made);
    return () => {
      made.close();
      leave();
    };
  }, [id, invitation]);
  return table;
}

/** Once the room is there, look at a ply or sit down, as the link says. */
function useArrival(table: Table | null, ply: number | null, sit: boolean): void {
  const ready = table?.state.value != null;
  useEffect(() => {
    if (ready && ply !== null) void table!.look(ply);
  }, [ready, ply]);
  useEffect(() => {
    if (!ready || !sit) return;
    history.replaceState(null, "", roomPath(table!.room.id, table!.invitation)); // coming back does not sit down again
    if (table!.state.value!.status === "open" && !table!.seats.value.length) void table!.sit();
  }, [ready, sit]);
}

interface TableProps {
  table: Table;
  game: GameDocument;
}

function Whole({ table, game }: TableProps) {
  const state = table.state.value!;
  useTitle(`${table.acting.value === null ? "" : "● "}${gameName(game.game)}`);
  usePlace(table);
  const chatting = useChat(table.room);
  useNews(table, game);
  const account = useAccount(isScored(state) ? lineOf(state) : null);
  useRematch(table);
  useSifting();
  usePast(table);
  const element = useRef<HTMLDivElement>(null);
  useKeptFocus(element);
  const about = gameText(game.game, state.position.size, state.control);
  const steps = { actions: state.actions, ply: table.ply.value, look: lookingAt(table, game) };
  return (
    <>
      <Signs table={table} chatting={chatting} above />
      <div class="table" ref={element}>
        <h1 class="aloud">{about}</h1>
        <div class="play">
          <Field table={table} game={game} account={account} />
          <div class="now">
            {/* First what you can do, so that nothing that comes meanwhile pushes it out of sight. */}
            {table.isGone.value ? <Fault error={table.error.value!} /> : <Todo table={table} game={game} />}
            <Steps {...steps} live={table.viewed.value === null} />
            <Unseen table={table} game={game} />
            <Late table={table} />
            <Score game={game} account={account} />
            <Seats table={table} />
          </div>
        </div>
        <Side {...{ table, game, about, steps, chatting }} />
      </div>
      <Signs table={table} chatting={chatting} above={false} />
    </>
  );
}

interface SideProps extends TableProps {
  about: string;
  steps: ActionsProps;
  chatting: ChatModel;
}

/** What you seldom need: on a phone it stands below the rest. */
const Side = ({ table, game, about, steps, chatting }: SideProps) => (
  <aside class="side">
    <p class="about">{about}</p>
    <Choices table={table} />
    <Actions {...steps} game={game} colorOf={(ply) => table.history.colorOf(ply)} />
    <Chat table={table} chatting={chatting} />
    <Footer table={table} />
  </aside>
);

/** What you can do, and what others wait for. */
const Todo = ({ table, game }: TableProps) => (
  <>
    <Controls table={table} game={game} />
    <Offers table={table} />
    <Absence table={table} />
  </>
);

/** Says why the position that you wanted to look at cannot be shown. */
function Unseen({ table: { unseen }, game }: TableProps) {
  return unseen.value && <Refusal text={refusalText(unseen.value, game)} />;
}

/** Tells spectators that they see the game with a delay. */
function Late({ table }: { table: Table }) {
  const { room, clocks } = texts.value;
  const state = table.state.value!;
  if (!isBehind(state, table.seats.value)) return null;
  return (
    <p class="note late">
      {room.delayedHere(state.delay!)} {state.control && clocks.stand}
    </p>
  );
}

/** The board, and a player on each side of it. */
function Field({ table, game, account }: TableProps & { account: Account | null }) {
  const bottom: Seat = table.seats.value[0] ?? 0;
  return (
    <div class="field">
      <Player table={table} game={game} seat={bottom === 0 ? 1 : 0} />
      <TableBoard table={table} game={game} account={account} />
      <Player table={table} game={game} seat={bottom} />
    </div>
  );
}

/** Let the rest of the page know which room is on the screen, and whether you are playing in it. */
function usePlace(table: Table): void {
  const state = table.state.value!;
  const plays = table.seats.value.length > 0 && state.status === "running";
  useEffect(() => {
    roomShown.value = { room: state.room, plays };
    return () => void (roomShown.value = null);
  }, [state.room, plays]);
}

/** If the list of actions has room beside the board, find out which color played each of them. */
function usePast(table: Table): void {
  useEffect(() => {
    if (matchMedia(ROOMY).matches) whenIdle(() => void table.history.complete().catch(() => {})); // else colors are missing
  }, []);
}

/** Go to the rematch as soon as it is there. */
function useRematch(table: Table): void {
  const next = table.next.value;
  useEffect(() => {
    if (!next) return;
    announce(texts.value.agreements.begins);
    go(roomPath(next, table.invitation));
  }, [next]);
}

function TableBoard({ table, game, account }: TableProps & { account: Account | null }) {
  const { size, cells } = table.position.value!;
  const state = table.state.value!;
  const action = state.actions[table.ply.value - 1] ?? null;
  const looking = table.viewed.value !== null;
  const sending = table.sent.value?.kind === "sending" ? table.sent.value.action : null;
  const acting = !looking && table.acting.value !== null && sending === null;
  const before = table.before.value?.cells ?? null;
  const changes = useMemo(() => changesOf(game, size, before, cells, action), [game, before, cells, action]);
  const preview = usePreview(table);
  const template = table.answers.value.get("")?.template ?? [];
  const marks = useMemo(() => marksOf(game, size, account), [game, account, language.value]);
  useEscape(table, acting);
  return (
    <div class="board-box">
      <Board
        game={game}
        size={size}
        cells={cells}
        turned={turned.value === "yes"}
        last={action === null ? [] : pointsOf(action, size, game.segments ?? false)}
        changes={changes}
        motion={!looking && table.fresh.value ? `${state.epoch}.${state.seq}` : null}
        targets={acting ? table.targets.value : new Set()}
        hinted={acting && !template.length && table.draft.value.picked.length > 0}
        picked={acting ? table.draft.value.picked : looking ? [] : pickedIn(sending)}
        ghosts={looking ? new Map() : preview.cells.value}
        sending={sending !== null}
        pointed={new Set(looking ? [] : refusedPoints(table))}
        marks={looking ? new Map() : marks}
        hover={partOf(table.draft.value, template)?.cell ?? null}
        {...(acting ? { choose: chooserOf(table, game) } : {})}
      />
    </div>
  );
}

/** The points of an action that is on its way: they stay marked until the server has it. */
const pickedIn = (action: string | null): string[] => (action ? picksOf(action, false)[0]! : []);

/** What a tap does. It belongs to what is shown now. */
function chooserOf(table: Table, game: GameDocument) {
  const shown = table.shown.value;
  return (point: string, repeated: boolean) =>
    void table.choose(point, shown, repeated).then((error) => say(error, game));
}

function usePreview(table: Table): Preview {
  const preview = useMemo(() => new Preview(table), [table]);
  useEffect(() => preview.close, [preview]);
  return preview;
}

/** The points that say why an action was refused. */
const refusedPoints = (table: Table): string[] =>
  (table.sent.value?.kind === "refused" && table.sent.value.error.answer.points) || [];

const say = (refused: Refused | null, game: GameDocument) => refused && announce(refusalText(refused, game));

/** What you can do about a free seat: take it, or invite somebody. */
function Seats({ table }: { table: Table }) {
  const { room: words } = texts.value;
  const state = table.state.value!;
  const [refused, setRefused] = useState<string | null>(null);
  const free = state.seats.some((holder) => !holder);
  const sit = async () => {
    setRefused(null);
    const answer = await table.sit();
    if (answer) setRefused(refusalText(answer));
  };
  if (table.isGone.value) return null;
  if (state.status !== "open" || !free)
    return table.seats.value.length === 2 && state.status === "running" ? (
      <p class="note">{words.bothSeats}</p>
    ) : null;
  const seated = table.seats.value.length > 0;
  return (
    <section class="seats">
      {!seated && (
        <button class="primary big" onClick={() => void sit()}>
          {words.playHere}
        </button>
      )}
      {seated && <Seated table={table} sit={sit} />}
      {state.access === "unlisted" && isArchived.value && <p class="note">{texts.value.archive.published}</p>}
      {refused && (
        <p class="refusal" role="alert">
          {refused}
        </p>
      )}
    </section>
  );
}

/** For a player who waits for another one: how to invite them, or play both sides. */
function Seated({ table, sit }: { table: Table; sit: () => Promise<void> }) {
  const { room: words } = texts.value;
  const path = roomPath(table.room.id, table.invitation);
  return (
    <>
      {twin.value && (
        <>
          <p class="note">{words.twin}</p>
          <button class="primary" onClick={() => setApart(`${path}/play`)}>
            {texts.value.meeting.setApart}
          </button>
        </>
      )}
      <Share link={roomLink(table.state.value!, table.invitation)} label={words.shareOpen} open />
      <p class="note">
        <button class="link" onClick={() => void sit()}>
          {words.bothHere}
        </button>{" "}
        {words.bothHint}
      </p>
    </>
  );
}
