/** What there is to do now, in words and buttons: prompt, set-up, confirmation, and what was sent. */

import type { Legal } from "@pierule/client";
import { useState } from "preact/hooks";
import { partOf, wordsOf } from "../board/draft";
import { refusalText } from "../refusals";
import { status } from "../server";
import { texts } from "../texts";
import { Paused } from "./ClockFace";
import { isPaused } from "./offers";
import { OperatorsWord } from "./OperatorsWord";
import { nameOf } from "./Players";
import { resultText } from "./result";
import type { Table } from "./table";

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
        <Acting table={table} />
      )}
      {state.status === "running" && state.ply < AIMED && <Aim game={state.position.game} />}
      {sent?.kind === "refused" && (
        <p class="refusal" role="alert">
          {refusalText(sent.error)}
        </p>
      )}
    </div>
  );
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

/** Send what is put together, or a word. The button that was pressed goes: one goes on from the board. */
function send(table: Table, word?: string): void {
  void table.send(word);
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
  if (position.phase === "color") return <ColorChoice table={table} />;
  const komi = legal?.template?.find((part) => part.what === "komi");
  if (komi) return <KomiPicker key={table.state.value!.turn} table={table} part={komi} />;
  const text = prompt.phases[`${position.game} ${position.phase}`] ?? prompt.any;
  return (
    <>
      <p class="prompt">{table.draft.value.picked.length ? stepText(table, legal) : text}</p>
      {!!legal?.template?.length && !table.draft.value.picked.length && (
        <p class="step">{stepText(table, legal)}</p>
      )}
      <Buttons table={table} />
    </>
  );
}

/** What the next tap is for. */
function stepText(table: Table, legal: Legal | undefined): string {
  const { prompt } = texts.value;
  const { game } = table.state.value!.position;
  const draft = table.draft.value;
  if (legal?.template?.length) {
    const part = partOf(draft, legal.template);
    if (!part) return prompt.setupReady;
    if (part.what === "shooter") return prompt.placeShooters((part.count ?? 1) - draft.picked.length);
    const color = table.state.value!.position.phase === "first" ? "black" : "white";
    return game === "taugo" ? prompt.placePoint : prompt.placeStone(color);
  }
  const [first, second] = draft.picked;
  const action = table.action.value;
  if (game === "taugo" && !second && table.targets.value.size)
    return action ? prompt.segment(first!) : prompt.segmentEnd(first!);
  if (action) return prompt.ready(action);
  return second ? prompt.shootAt(second) : prompt.moveTo(first!);
}

function Buttons({ table }: { table: Table }) {
  const { prompt } = texts.value;
  const action = table.action.value;
  const picked = table.draft.value.picked.length > 0;
  const words = wordsOf(table.answers.value);
  const { passes } = table.state.value!.position;
  return (
    <div class="buttons">
      {picked && (
        <button class="primary" disabled={!action} onClick={() => send(table)}>
          {action ? prompt.play(action) : prompt.confirm}
        </button>
      )}
      {picked && <button onClick={() => table.undo()}>{prompt.undo}</button>}
      {!picked &&
        words.map((word) => (
          <button
            key={word}
            title={word === "pass" && passes ? prompt.passSure : undefined}
            onClick={() => send(table, word)}
          >
            {prompt.words[word] ?? word}
          </button>
        ))}
      {!picked && passes > 0 && words.includes("pass") && <span class="hint-text">{prompt.passSure}</span>}
    </div>
  );
}

function ColorChoice({ table }: { table: Table }) {
  const { prompt, room } = texts.value;
  const { game, komi } = table.state.value!.position;
  return (
    <>
      <p class="prompt">
        {prompt.color} {komi !== null && <strong>{room.komi(komi)}. </strong>}
        {prompt.colorHint[game]}
      </p>
      <div class="choice">
        {(["black", "white"] as const).map((color) => (
          <button key={color} class={`color ${color}`} onClick={() => send(table, color)}>
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
  const set = (value: number) => {
    if (Number.isFinite(value))
      setKomi(Math.min(last, Math.max(first, first + Math.round((value - first) / step) * step)));
  };
  return (
    <>
      <p class="prompt">{prompt.phases["loose komi"]}</p>
      <form
        class="komi"
        onSubmit={(event) => {
          event.preventDefault();
          send(table, `komi:${komi}`);
        }}
      >
        <label for="komi">{prompt.komiLabel}</label>
        <span class="stepper">
          <button type="button" aria-label="−" disabled={komi <= first} onClick={() => set(komi - step)}>
            −
          </button>
          <input
            id="komi"
            type="number"
            min={first}
            max={last}
            step={step}
            value={komi}
            onChange={(event) => set(event.currentTarget.valueAsNumber)}
          />
          <button type="button" aria-label="+" disabled={komi >= last} onClick={() => set(komi + step)}>
            +
          </button>
        </span>
        <button class="primary">{prompt.setKomi}</button>
      </form>
    </>
  );
}
