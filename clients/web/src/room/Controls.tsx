/** What you can do now, in words and buttons: prompt, set-up, confirmation, and what was sent. */

import type { GameDocument, Legal, LegalPart, PositionState } from "@pierule/client";
import type { ReadonlySignal } from "@preact/signals";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { numberOf, partAt, partOf, wordsOf } from "../board/draft";
import { numberText, textsOf, wordText } from "../games/words";
import { once } from "../pressing";
import { gameText } from "../meeting/Meeting";
import { refusalText } from "../refusals";
import { connected } from "../server";
import { fill, texts } from "../texts";
import { Ending } from "./Ending";
import { toBoard, useWayBack } from "./focus";
import { isPaused } from "./offers";
import { Paused } from "./Paused";
import { nameOf } from "./Players";
import { ratedText } from "./Rated";
import type { Shown, Table } from "./table";
import { Unsend } from "./UnderWay";

/** For how many actions the page says what the game is about. */
const AIMED = 6;

/** The words that could be said last, by game and phase: the next time, their buttons have their place before
 * the server's answer comes, so they move nothing then. */
const usual = new Map<string, readonly string[]>();

interface ControlsProps {
  table: Table;
  game: GameDocument;
}

/** What acting needs of a table, whether of a room or of an analysis. */
export type Acted = Pick<Table, "draft" | "answers" | "viewed" | "shown" | "action" | "targets"> &
  Pick<Table, "send" | "say" | "undo"> & {
    readonly state: ReadonlySignal<{ position: PositionState } | null>;
  };

interface ActingProps {
  table: Acted;
  game: GameDocument;
}

export function Controls({ table, game }: ControlsProps) {
  const state = table.state.value!;
  const went = useRef(state.status !== "over");
  if (state.status === "over") return <Ending table={table} game={game} live={went.current} />;
  const sent = table.sent.value;
  return (
    <div class={table.seats.value.length && state.status === "running" ? "controls playing" : "controls"}>
      {table.acting.value === null || sent?.kind === "sending" ? (
        <Waiting table={table} game={game} />
      ) : (
        // Each turn has its own buttons, so that a press that began in the turn before does nothing.
        <Acting key={`${state.epoch}.${state.turn}`} table={table} game={game} />
      )}
      {state.status === "running" && state.ply < AIMED && <Aim game={game} />}
      {sent?.kind === "refused" && (
        <p class="refusal" role="alert">
          {refusalText(sent.error, game)}
        </p>
      )}
    </div>
  );
}

/** The aim of the game, for people who have not read the rules. */
const Aim = ({ game }: { game: GameDocument }) => (
  <p class="hint-text aim">
    {textsOf(game).aim} <a href={`#/rules/${game.game}`}>{texts.value.prompt.aimRules}</a>
  </p>
);

/** Send the action of a button. The button disappears, so the focus returns to the board. */
function send(table: Acted, action: string, seen: Shown): void {
  void table.send(action, seen);
  toBoard();
}

function say(table: Acted, word: string, shown: Shown): void {
  void table.say(word, shown);
  toBoard();
}

function Waiting({ table, game }: ControlsProps) {
  const { prompt } = texts.value;
  const { status: of, position } = table.state.value!;
  const sent = table.sent.value;
  if (isPaused(table.state.value!))
    return <Paused until={table.state.value!.clock!.deadline} then={thenText(table)} />;
  if (sent?.kind === "sending") {
    const action = wordText(game, sent.action);
    if (connected.value) return <p class="prompt sending">{prompt.sending(action)}</p>;
    return (
      <p class="prompt sending">
        {prompt.offline(action)} <Unsend table={table} type="act" />
      </p>
    );
  }
  const who = position.to_act === null ? "" : nameOf(table, position.to_act);
  const plain = () => {
    if (of === "open") return openText(table);
    if (!table.seats.value.length) return prompt.watching(who);
    if (position.phase === "color") return prompt.waitChoose(who);
    return position.black === null ? prompt.waitCut(who) : prompt.wait(who);
  };
  return (
    <p class="prompt">
      {sent?.kind === "kept" && <span class="kept">{prompt.kept(wordText(game, sent.action))} </span>}
      {plain()}
    </p>
  );
}

/** Whose turn it is when the clocks go on. */
function thenText(table: Table): string {
  const { prompt } = texts.value;
  const { to_act: seat } = table.state.value!.position;
  if (seat === null) return "";
  const [mine, ...more] = table.seats.value;
  return mine === seat && !more.length ? prompt.thenYou : prompt.then(nameOf(table, seat));
}

/** Before the game: tells people who may sit down which game it is, who invites them, and whether it
 * counts. */
function openText(table: Table): string {
  const { prompt, meeting, room } = texts.value;
  const state = table.state.value!;
  const { seats, position, control } = state;
  const free = seats.findIndex((holder) => !holder);
  if (table.seats.value.length || free < 0) return prompt.open;
  const host = seats.find((holder) => holder);
  const what = gameText(position.game, position.size, control);
  const role = free === 0 ? meeting.youCut : meeting.youChoose;
  const who = host ? prompt.invited(host.name || room.unnamed, what) : `${what}.`;
  return `${who} ${host ? role : room.seatFree} ${ratedText(state)}`;
}

export function Acting({ table, game }: ActingProps) {
  const { phase } = table.state.value!.position;
  const legal = table.answers.value.get("");
  const { picked, word } = table.draft.value;
  const begun = picked.length > 0 || word !== null;
  const text = textsOf(game).phases[phase]?.prompt ?? texts.value.prompt.any;
  if (table.viewed.value !== null) return <p class="prompt">{text}</p>; // nobody sends what they do not see
  if (phase === "color") return <ColorChoice table={table} game={game} text={text} />;
  const number = numberOf(legal);
  if (number) return <NumberChoice table={table} game={game} part={number} text={text} />;
  return (
    <>
      <p class="prompt" role="status">
        {begun ? stepText(table, game, legal) : text}
      </p>
      {!!legal?.template?.length && !begun && <p class="step">{stepText(table, game, legal)}</p>}
      <Buttons table={table} game={game} />
    </>
  );
}

/** What the next tap is for (SPEC 26.8). */
function stepText(table: Acted, game: GameDocument, legal: Legal | undefined): string {
  const { prompt } = texts.value;
  const { picked, places, word } = table.draft.value;
  const { steps = {} } = textsOf(game).phases[table.state.value!.position.phase] ?? {};
  const action = table.action.value;
  const { confirms } = table.shown.value;
  const more = table.targets.value.size > 0;
  if (word || (action !== null && !more && !confirms)) return prompt.confirmOrUndo;
  if (legal?.template?.length) {
    const part = partOf(table.draft.value, legal.template);
    if (!part) return places.length > 1 ? prompt.setupReady : prompt.ready(action!);
    const placed = places.filter((place) => partAt(place, legal.template!) === part).length;
    return fill(steps[part.what] ?? prompt.next, [(part.count ?? 1) - placed]);
  }
  const ready = action !== null && confirms ? prompt.ready(action) : "";
  if (action !== null && !more) return ready;
  const step = steps[`${picked.length}${action === null ? "" : "+"}`] ?? prompt.next;
  return `${fill(step, picked)} ${ready}`.trim();
}

function Buttons({ table, game }: ActingProps) {
  const { prompt } = texts.value;
  const action = table.action.value;
  const shown = table.shown.value;
  const { picked, word } = shown.draft;
  const primary = useFocus(word);
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
          {word
            ? `${prompt.confirm}: ${wordText(game, word)}`
            : action
              ? prompt.play(action)
              : prompt.confirm}
        </button>
        <button onClick={() => table.undo()}>{prompt.undo}</button>
        <AgainNote table={table} game={game} words={word ? [word] : []} />
      </div>
    );
  return <Words table={table} game={game} />;
}

/** The buttons of what can be said in a word. */
function Words({ table, game }: ActingProps) {
  const shown = table.shown.value;
  const answer = table.answers.value.get("");
  const turn = `${game.game} ${table.state.value!.position.phase}`;
  if (answer) usual.set(turn, wordsOf(answer));
  const words = usual.get(turn) ?? [];
  return (
    <div class="buttons">
      {words.map((each) => (
        <button
          key={each}
          class={answer ? undefined : "awaited"}
          onClick={once(() => say(table, each, shown))}
        >
          {wordText(game, each)}
        </button>
      ))}
      <AgainNote table={table} game={game} words={words} />
    </div>
  );
}

/** Gives the focus to the button that confirms a word, because the word's own button is gone. */
function useFocus(word: string | null) {
  const primary = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (word) primary.current?.focus();
  }, [word]);
  return primary;
}

/** What a word does after an earlier one, for example that another pass ends the game. */
function AgainNote({ table, game, words }: ActingProps & { words: readonly string[] }) {
  const told = table.state.value!.position.passes > 0 ? (textsOf(game).words ?? {}) : {};
  const notes = words.map((word) => told[word]?.again).filter(Boolean);
  return notes.length ? <span class="hint-text">{notes.join(" ")}</span> : null;
}

/** A color or number that was chosen, before it is sent. */
function Confirmation({ table, game }: ActingProps) {
  return (
    <>
      <p class="prompt" role="status">
        {texts.value.prompt.confirmOrUndo}
      </p>
      <Buttons table={table} game={game} />
    </>
  );
}

function ColorChoice({ table, game, text }: ActingProps & { text: string }) {
  const { komi } = table.state.value!.position;
  const shown = table.shown.value;
  const from = useWayBack(!!shown.draft.word);
  const take = (color: "black" | "white") => {
    from.current = `.choice button.${color}`;
    say(table, color, shown);
  };
  if (shown.draft.word) return <Confirmation table={table} game={game} />;
  return (
    <>
      <p class="prompt">
        {komi !== null && <strong>{numberText(game, "komi", komi)}. </strong>}
        {text}
      </p>
      <div class="choice">
        {(["black", "white"] as const).map((color) => (
          <button key={color} class={`color ${color}`} onClick={once(() => take(color))}>
            <span class={`token ${color}`} aria-hidden="true" />
            {texts.value.prompt.take(color)}
          </button>
        ))}
      </div>
    </>
  );
}

/** A number to begin with. It grows with the side of the board: a share of all points would give the game
 * away on a large board. */
const suggested = (first: number, last: number, step: number): number =>
  Math.min(last, first + Math.ceil(Math.sqrt(last - first) / step) * step);

/** A number that is an action, such as the komi. */
function NumberChoice({ table, game, part, text }: ActingProps & { part: LegalPart; text: string }) {
  const words = textsOf(game).numbers?.[part.what];
  const [first, last, step] = [part.first ?? 0, part.last ?? 0, part.step ?? 1];
  const [number, setNumber] = useState(suggested(first, last, step));
  const [wrong, setWrong] = useState(false);
  const shown = table.shown.value;
  const from = useWayBack(!!shown.draft.word);
  const isRight = number >= first && number <= last && (number - first) % step === 0;
  if (shown.draft.word) return <Confirmation table={table} game={game} />;
  return (
    <>
      <p class="prompt">
        {text} {step > 1 && texts.value.prompt.steps(first, last, step)}
      </p>
      <form
        class="amount"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setWrong(!isRight);
          // Whoever pressed the button gets back to it: on a phone the field would open the keyboard.
          from.current = document.activeElement?.id === "amount" ? "#amount" : ".amount .primary";
          if (isRight) say(table, `${part.what}:${number}`, shown);
        }}
      >
        <label for="amount">{words?.label ?? part.what}</label>
        <Stepper {...{ first, last, step, number, setNumber }} />
        <button class="primary">{words?.set ?? texts.value.prompt.confirm}</button>
      </form>
      {wrong && !isRight && (
        <p class="refusal" role="alert">
          {texts.value.prompt.notSo} {texts.value.prompt.steps(first, last, step)}
        </p>
      )}
    </>
  );
}

interface StepperProps {
  first: number;
  last: number;
  step: number;
  number: number;
  setNumber: (number: number) => void;
}

function Stepper({ first, last, step, number, setNumber }: StepperProps) {
  const add = (more: number) => setNumber(Math.min(last, Math.max(first, (number || first) + more)));
  return (
    <span class="stepper">
      <button type="button" aria-label="−" disabled={number <= first} onClick={() => add(-step)}>
        −
      </button>
      {/* A wrong number gets an explanation: the page never changes what somebody types. */}
      <input
        id="amount"
        type="number"
        required
        min={first}
        max={last}
        step={step}
        value={Number.isNaN(number) ? "" : number}
        onInput={(event) => setNumber(event.currentTarget.valueAsNumber)}
      />
      <button type="button" aria-label="+" disabled={number >= last} onClick={() => add(step)}>
        +
      </button>
    </span>
  );
}
