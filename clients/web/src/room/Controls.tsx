/** What there is to do now, in words and buttons: prompt, set-up, confirmation, and what was sent. */

import { pointIndex, type Legal, type Refused } from "@pierule/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { partOf, wordsOf } from "../board/draft";
import { once } from "../pressing";
import { refusalText } from "../refusals";
import { status } from "../server";
import { confirming } from "../settings";
import { texts } from "../texts";
import { Paused } from "./ClockFace";
import { isPaused } from "./offers";
import { OperatorsWord } from "./OperatorsWord";
import { nameOf } from "./Players";
import { resultText } from "./result";
import type { Shown, Table } from "./table";

/** So many actions long it is said what the game is about. */
const AIMED = 6;

export function Controls({ table }: { table: Table }) {
  const state = table.state.value!;
  if (state.status === "over") {
    const names = [nameOf(table, 0), nameOf(table, 1)];
    return (
      <div class="controls">
        <p class="prompt result" role="status">
          {fateText(table)} {resultText(texts.value, state, names)}
        </p>
        <OperatorsWord state={state} />
      </div>
    );
  }
  const sent = table.sent.value;
  return (
    <div class="controls">
      {table.acting.value === null || sent?.kind === "sending" ? (
        <Waiting table={table} />
      ) : (
        // Each turn has buttons of its own: a press that began in the turn before does nothing.
        <Acting key={`${state.epoch}.${state.turn}`} table={table} />
      )}
      {state.status === "running" && state.ply < AIMED && <Aim game={state.position.game} />}
      {sent?.kind === "refused" && (
        <p class="refusal" role="alert">
          {refusalText(sent.error)} {ownStone(table, sent.error) && texts.value.prompt.newStones}
        </p>
      )}
    </div>
  );
}

/** Whether a segment of Taugo was begun at a stone of one's own: it begins beside it. */
function ownStone(table: Table, { answer: { rule, points } }: Refused): boolean {
  const { game, size, cells, black, to_act } = table.state.value!.position;
  if (game !== "taugo" || rule !== "occupied" || table.draft.value.picked.length) return false;
  const at = pointIndex(points?.[0] ?? "", size);
  return at !== null && cells[at] === (black === to_act ? 1 : 2);
}

/** To a player: whether one has won. */
function fateText(table: Table): string {
  const winner = table.state.value!.result?.winner;
  const { result } = texts.value;
  if (table.seats.value.length !== 1 || (winner !== 0 && winner !== 1)) return "";
  return table.seats.value.includes(winner) ? result.youWon : result.youLost;
}

/** What one tries to do, for who has read nothing. */
function Aim({ game }: { game: string }) {
  const { prompt } = texts.value;
  const aim = prompt.aim[game];
  return aim ? (
    <p class="hint-text aim">
      {aim} <a href={`#/rules/${game}`}>{prompt.aimRules}</a>
    </p>
  ) : null;
}

/** Send the action that a button named. The button goes, so the focus returns to the board. */
function send(table: Table, action: string, seen: Shown): void {
  void table.send(action, seen);
  toBoard();
}

function say(table: Table, word: string, shown: Shown): void {
  void table.say(word, shown);
  toBoard();
}

function toBoard(): void {
  document.querySelector<SVGElement>('.board-box [tabindex="0"]')?.focus({ preventScroll: true });
}

function Waiting({ table }: { table: Table }) {
  const { prompt } = texts.value;
  const { status: of, position } = table.state.value!;
  const sent = table.sent.value;
  if (isPaused(table.state.value!)) return <Paused until={table.state.value!.clock!.deadline} />;
  if (sent?.kind === "sending") {
    const online = status.value.kind === "online";
    return <p class="prompt sending">{online ? prompt.sending(sent.action) : prompt.offline(sent.action)}</p>;
  }
  const who = position.to_act === null ? "" : nameOf(table, position.to_act);
  const plain = () => {
    if (of === "open") return prompt.open;
    if (!table.seats.value.length) return prompt.watching(who);
    if (position.phase === "color") return prompt.waitChoose(who);
    return position.black === null ? prompt.waitCut(who) : prompt.wait(who);
  };
  return (
    <p class="prompt">
      {sent?.kind === "kept" && <span class="kept">{prompt.kept(sent.action)} </span>}
      {plain()}
    </p>
  );
}

function Acting({ table }: { table: Table }) {
  const { prompt } = texts.value;
  const { position } = table.state.value!;
  const legal = table.answers.value.get("");
  const { picked, word } = table.draft.value;
  const begun = picked.length > 0 || word !== null;
  const text = prompt.phases[`${position.game} ${position.phase}`] ?? prompt.any;
  if (table.viewed.value !== null) return <Return table={table} text={text} />;
  if (position.phase === "color") return <ColorChoice table={table} />;
  const komi = legal?.template?.find((part) => part.what === "komi");
  if (komi) return <KomiPicker table={table} part={komi} />;
  return (
    <>
      <p class="prompt" role="status">
        {begun ? stepText(table, legal) : text}
      </p>
      {!!legal?.template?.length && !begun && <p class="step">{stepText(table, legal)}</p>}
      <Buttons table={table} />
    </>
  );
}

/** What the next tap is for. */
function stepText(table: Table, legal: Legal | undefined): string {
  const { prompt } = texts.value;
  const { game } = table.state.value!.position;
  const draft = table.draft.value;
  const action = table.action.value;
  const settled = action !== null && !table.targets.value.size;
  if (draft.word || (settled && confirming.value === "no")) return prompt.confirmOrUndo;
  if (legal?.template?.length) {
    const part = partOf(draft, legal.template);
    if (!part) return prompt.setupReady;
    const count = part.count ?? 1;
    const placed = draft.places.filter((place) => place < count).length; // shooters come first
    if (part.what === "shooter") return prompt.placeShooters(count - placed);
    const color = table.state.value!.position.phase === "first" ? "black" : "white";
    return game === "taugo" ? prompt.placePoint : prompt.placeStone(color);
  }
  const [first, second] = draft.picked;
  if (game === "taugo" && !second && table.targets.value.size)
    return action ? prompt.segment(first!, confirming.value === "yes") : prompt.segmentEnd(first!);
  if (action) return prompt.ready(action);
  return second ? prompt.shootAt(second) : prompt.moveTo(first!);
}

/** While another turn is looked at: nothing is sent that is not in sight. */
function Return({ table, text }: { table: Table; text: string }) {
  return (
    <>
      <p class="prompt">{text}</p>
      <div class="buttons">
        <button onClick={() => void table.look(Infinity)}>{texts.value.room.newest}</button>
      </div>
    </>
  );
}

function Buttons({ table }: { table: Table }) {
  const { prompt } = texts.value;
  const action = table.action.value;
  const shown = table.shown.value;
  const { picked, word } = shown.draft;
  const primary = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (word) primary.current?.focus(); // its own button is gone
  }, [word]);
  if (picked.length || word)
    return (
      <div class="buttons">
        <button
          key={action}
          ref={primary}
          class="primary"
          disabled={!action}
          onClick={once(() => send(table, action!, shown))}
        >
          {word ? `${prompt.confirm}: ${wordText(word)}` : action ? prompt.play(action) : prompt.confirm}
        </button>
        <button onClick={() => table.undo()}>{prompt.undo}</button>
        {word === "pass" && <PassNote table={table} />}
      </div>
    );
  return (
    <div class="buttons">
      {wordsOf(table.answers.value).map((each) => (
        <button key={each} onClick={once(() => say(table, each, shown))}>
          {wordText(each)}
        </button>
      ))}
      {wordsOf(table.answers.value).includes("pass") && <PassNote table={table} />}
    </div>
  );
}

/** A word that is an action, as the page says it: `Pass`, `Black`, `Komi 12`. */
function wordText(word: string): string {
  const { prompt, room, colors } = texts.value;
  if (word.startsWith("komi:")) return room.komi(Number(word.slice("komi:".length)));
  return prompt.words[word] ?? colors[word as keyof typeof colors] ?? word;
}

/** That the game ends with one more pass. */
function PassNote({ table }: { table: Table }) {
  const { passes } = table.state.value!.position;
  return passes > 0 ? <span class="hint-text">{texts.value.prompt.passSure}</span> : null;
}

/** What was chosen by a button of its own, before it is sent. */
function Confirmation({ table }: { table: Table }) {
  return (
    <>
      <p class="prompt" role="status">
        {texts.value.prompt.confirmOrUndo}
      </p>
      <Buttons table={table} />
    </>
  );
}

function ColorChoice({ table }: { table: Table }) {
  const { prompt, room } = texts.value;
  const { game, komi } = table.state.value!.position;
  const shown = table.shown.value;
  if (shown.draft.word) return <Confirmation table={table} />;
  return (
    <>
      <p class="prompt">
        {prompt.color} {komi !== null && <strong>{room.komi(komi)}. </strong>}
        {prompt.colorHint[game]}
      </p>
      <div class="choice">
        {(["black", "white"] as const).map((color) => (
          <button key={color} class={`color ${color}`} onClick={once(() => say(table, color, shown))}>
            <span class={`token ${color}`} aria-hidden="true" />
            {prompt.take(color)}
          </button>
        ))}
      </div>
    </>
  );
}

function KomiPicker({ table, part }: { table: Table; part: NonNullable<Legal["template"]>[number] }) {
  const { prompt } = texts.value;
  const [first, last, step] = [part.first ?? 0, part.last ?? 0, part.step ?? 1];
  const [komi, setKomi] = useState(first + Math.floor((last - first) / 6 / step) * step);
  const shown = table.shown.value;
  if (shown.draft.word) return <Confirmation table={table} />;
  const add = (more: number) => setKomi(Math.min(last, Math.max(first, (komi || first) + more)));
  return (
    <>
      <p class="prompt">{prompt.phases["loose komi"]}</p>
      <form
        class="komi"
        onSubmit={(event) => {
          event.preventDefault();
          say(table, `komi:${komi}`, shown);
        }}
      >
        <label for="komi">{prompt.komiLabel}</label>
        <span class="stepper">
          <button type="button" aria-label="−" disabled={komi <= first} onClick={() => add(-step)}>
            −
          </button>
          {/* What may not be set, the browser says: the number is never changed on its way. */}
          <input
            id="komi"
            type="number"
            required
            min={first}
            max={last}
            step={step}
            value={Number.isNaN(komi) ? "" : komi}
            onInput={(event) => setKomi(event.currentTarget.valueAsNumber)}
          />
          <button type="button" aria-label="+" disabled={komi >= last} onClick={() => add(step)}>
            +
          </button>
        </span>
        <button class="primary">{prompt.setKomi}</button>
      </form>
    </>
  );
}
