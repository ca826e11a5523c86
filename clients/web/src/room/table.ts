/**
 * A room as its players and spectators see it: its state, the action that is being put together or on its
 * way, and the ply that you look at. Everything that changes it is here; nothing is drawn.
 */

import {
  Refused,
  type Claim,
  type Client,
  type Event,
  type GameDocument,
  type Legal,
  type LogRecord,
  type Presence,
  type Room,
  type RoomState,
  type Seat,
  type What,
} from "@pierule/client";
import { computed, signal, type ReadonlySignal } from "@preact/signals";
import { EMPTY_DRAFT, actionOf, besideOf, tap, targetsOf, unpick, type Draft } from "../board/draft";
import { History } from "./history";
import { NONE_MADE, madeAfter, newsOf, type Made, type OfferUpdate } from "./offers";
import { otherOf } from "./seats";

/** What has become of an action that was played here: it is on its way, kept by the server, or refused. */
export type Sent =
  | { kind: "sending"; action: string; turn: number }
  | { kind: "kept"; action: string; turn: number }
  | { kind: "refused"; error: Refused };

/** A request between players that has no answer yet. */
export interface Asked {
  kind: "resign" | "abort" | "claim" | "offer" | "accept" | "decline" | "withdraw";
  what?: What;
  outcome?: Claim["outcome"];
}

/** The least lag compensation to show, in ms: less would round to 0.0 s. */
const LAG_SHOWN = 50;

/** What a table needs of the page around it. */
export interface TableContext {
  client: Client;
  /** Whether an action waits for its confirmation. */
  confirming: ReadonlySignal<"yes" | "no">;
  /** Keep what was last seen of a game in which you sit. */
  remember(state: RoomState, seats: readonly Seat[], invitation: string | null): void;
  /** The document of a game; null until it is loaded. */
  gameOf(game: string): GameDocument | null;
}

/** What a player sees and acts on. It stays the same object until something in it changes. */
export interface Shown {
  /** The turn with its epoch; null while you look at another turn. */
  place: string | null;
  draft: Draft;
  /** What may come next; null until the answer comes. */
  legal: Legal | null;
  /** Whether an action waits for its confirmation. */
  confirms: boolean;
}

export class Table {
  readonly state = signal<RoomState | null>(null);
  readonly presence = signal<Presence | null>(null);
  readonly seats = signal<readonly Seat[]>([]);
  readonly error = signal<Error | null>(null);
  readonly history: History;
  /** The ply that you look at; null: the newest. */
  readonly viewed = signal<number | null>(null);
  /** Why the ply that you wanted to look at cannot be shown; null if it can. */
  readonly unseen = signal<Refused | null>(null);
  readonly draft = signal<Draft>(EMPTY_DRAFT);
  readonly answers = signal<ReadonlyMap<string, Legal>>(new Map());
  readonly sent = signal<Sent | null>(null);
  /** The last action of the newest state, if it came as an event, so that the board may animate it. */
  readonly fresh = signal<{ ply: number; action: string } | null>(null);
  /** What the latest event gave a player for lag, in ms (SPEC 9.5); null: nothing worth showing. */
  readonly lag = signal<{ seat: Seat; given: number } | null>(null);
  /** What became of offers with the latest event. */
  readonly offers = signal<readonly OfferUpdate[]>([]);
  /** What cannot be offered again before the next action. */
  readonly made = signal<Made>(NONE_MADE);
  /** Why the latest request between players was refused; null if it was not. */
  readonly refused = signal<Refused | null>(null);
  /** Requests between players that have no answer yet. Without a connection there is at most one. */
  readonly asked = signal<readonly Asked[]>([]);
  /** The room of the rematch, once it begins while you are here. */
  readonly next = signal<string | null>(null);

  readonly position = computed(() => {
    const ply = this.viewed.value;
    const past = ply === null ? null : this.history.positions.value.get(ply);
    return past ?? this.state.value?.position ?? null;
  });
  readonly ply = computed(() => this.viewed.value ?? this.state.value?.ply ?? 0);
  /** The position before that one, to show what has changed; null if it is not known. */
  readonly before = computed(() => this.history.positions.value.get(this.ply.value - 1) ?? null);
  /** The seat for which you may act now; null if it is not your turn. */
  readonly acting = signal<Seat | null>(null);
  /** Whether nothing more comes of the room, although it is not over. */
  readonly isGone = computed(() => this.error.value !== null && this.state.value?.status !== "over");
  /** The document of the room's game; null until it is loaded. */
  readonly game = computed(() => this.state.value && this.context.gameOf(this.state.value.position.game));
  private readonly known = computed(() => ({
    legal: this.answers.value,
    segments: this.game.value?.segments ?? false,
  }));
  readonly targets = computed(() => targetsOf(this.draft.value, this.known.value));
  readonly action = computed(() => actionOf(this.draft.value, this.known.value));
  private readonly place = computed(() => {
    const state = this.state.value;
    return state && `${state.epoch}.${state.turn}`;
  });
  private readonly legal = computed(() => this.answers.value.get(this.draft.value.prefix) ?? null);
  /** What is on the screen. A tap carries it along, so that it never sends anything that was not shown. */
  readonly shown = computed<Shown>(() => ({
    place: this.viewed.value === null ? this.place.value : null,
    draft: this.draft.value,
    legal: this.legal.value,
    confirms: this.context.confirming.value === "yes",
  }));

  private readonly asking = new Map<string, Promise<Legal | null>>();
  private taps = 0;
  private readonly client: Client;
  private readonly stop: () => void;

  constructor(
    readonly room: Room,
    readonly invitation: string | null,
    private readonly context: TableContext,
  ) {
    this.client = context.client;
    this.history = new History(context.client);
    this.stop = room.listen((news) => {
      if (news.kind === "state") this.update(news.state, news.event);
      else if (news.kind === "presence") this.presence.value = news.presence;
      else if (news.kind === "ended") this.error.value = news.error;
      else if (news.kind === "seats") this.seats.value = news.seats;
      this.refresh();
    });
    this.presence.value = room.presence;
    this.seats.value = room.seats;
    this.error.value = room.error;
    if (room.state) this.update(room.state, null);
    this.refresh();
  }

  close(): void {
    this.stop();
  }

  // --- looking ---

  /** Look at a ply, or go back to the newest state if it is the last. */
  async look(ply: number): Promise<void> {
    const last = this.state.value?.ply ?? 0;
    const wanted = Math.max(0, ply);
    this.unseen.value = null;
    if (wanted < last && !(this.history.at(wanted) && (!wanted || this.history.at(wanted - 1))))
      try {
        await this.history.complete();
      } catch (error) {
        this.unseen.value = error instanceof Refused ? error : null;
        return;
      }
    this.viewed.value = wanted < last ? wanted : null;
  }

  // --- putting an action together ---

  /**
   * A point was tapped while `seen` was shown. Resolves to the server's refusal if it may not be picked.
   *
   * A tap that is faster than an answer waits for it. It may then change the draft, but it sends nothing.
   * Only a tap on what is still shown sends, and never the second half of a double click.
   */
  async choose(point: string, seen: Shown, repeated = false): Promise<Refused | null> {
    const number = ++this.taps;
    while (this.place.value === seen.place && !this.legal.value) if (!(await this.inquire())) return null;
    if (this.place.value !== seen.place || !this.mayAct) return null;
    if (repeated && this.draft.value.picked.at(-1) === point) return null; // a double click counts once
    const sends = seen === this.shown.value && !repeated;
    const { confirms } = this.shown.value;
    const step = tap(this.draft.value, point, this.known.value, confirms);
    if (step.kind === "confirm") return sends ? this.send(this.action.value!, seen) : null;
    if (this.sent.value?.kind === "refused") this.sent.value = null;
    if (step.kind === "ask") return this.explain(step.points);
    this.draft.value = step.draft;
    await this.inquire();
    const last = number === this.taps && this.draft.value === step.draft;
    const completes = step.kind === "picked" && last && this.action.value && !this.targets.value.size;
    return sends && !confirms && completes ? this.send(this.action.value!, this.shown.value) : null;
  }

  /** A word was chosen that is an action, such as `pass`. It acts like a point that completes an action. */
  async say(word: string, seen: Shown): Promise<Refused | null> {
    if (!seen.confirms) return this.send(word, seen);
    // To ask for its confirmation, only the turn must still be the one that was seen.
    if (seen.place === this.place.value && this.mayAct) this.draft.value = { ...EMPTY_DRAFT, word };
    return null;
  }

  /** Whether you can put an action together and send it now. */
  private get mayAct(): boolean {
    return this.viewed.value === null && this.acting.value !== null && this.sent.value?.kind !== "sending";
  }

  /** Take back the word or the last point. */
  undo(): void {
    this.draft.value = unpick(this.draft.value);
  }

  /** Send an action that was shown and confirmed. Resolves to the refusal, if the server refuses it. */
  async send(action: string, seen: Shown): Promise<Refused | null> {
    if (seen !== this.shown.value || !this.mayAct) return null;
    const { turn } = this.state.value!;
    this.sent.value = { kind: "sending", action, turn };
    this.draft.value = EMPTY_DRAFT;
    return this.act(turn, action);
  }

  private async act(turn: number, action: string): Promise<Refused | null> {
    try {
      await this.client.act(this.room, turn, action);
      this.sent.value = { kind: "kept", action, turn };
      return null;
    } catch (error) {
      const refused = error instanceof Refused && error.code !== "stale" ? error : null;
      this.sent.value = refused && { kind: "refused", error: refused };
      return refused; // if the client has stopped, its status says why
    } finally {
      this.refresh();
    }
  }

  /** Find out why no action has these points. */
  private async explain(points: string[]): Promise<Refused | null> {
    const error = besideOf(this.known.value) ?? (await this.why(points));
    if (error) this.sent.value = { kind: "refused", error };
    return error;
  }

  /** Ask the server. It plays nothing (SPEC 6.12). */
  private async why(points: string[]): Promise<Refused | null> {
    if (!this.client.welcome?.features.includes("why")) return null;
    const seen = this.shown.value;
    const { turn } = this.state.value!;
    const refusal = await this.client.why(this.room, turn, { points }).catch(() => null);
    if (!refusal || seen !== this.shown.value || !this.mayAct) return null;
    return new Refused({ type: "error", id: null, code: "illegal", ...refusal });
  }

  /** Take the free seat. Resolves to the refusal, if the server refuses it. */
  async sit(): Promise<Refused | null> {
    const { room } = this;
    const free = this.state.value!.seats.findIndex((holder) => !holder);
    this.client.join(room.id, this.seats.value.length ? (free as Seat) : "any");
    return new Promise((resolve) => {
      const stop = room.listen((news) => {
        if (news.kind !== "seats" && news.kind !== "refused") return;
        stop();
        resolve(news.kind === "refused" ? news.error : null);
      });
    });
  }

  // --- what players agree on (SPEC 19) ---

  /** Offer something to the other player. If you play both sides, you agree at once. */
  async offer(what: What, seat: Seat): Promise<void> {
    const { turn } = this.state.value!;
    const offered = await this.attempt({ kind: "offer", what }, () =>
      this.client.offer(this.room, what, seat),
    );
    if (offered && this.seats.value.length === 2) await this.accept(what, turn, otherOf(seat));
  }

  /** Accept an offer that you saw at a turn. */
  accept(what: What, turn: number, seat: Seat): Promise<boolean> {
    return this.attempt({ kind: "accept", what }, () => this.client.accept(this.room, what, turn, seat));
  }

  decline(what: What, seat: Seat): Promise<boolean> {
    return this.attempt({ kind: "decline", what }, () => this.client.decline(this.room, what, seat));
  }

  withdraw(what: What, seat: Seat): Promise<boolean> {
    return this.attempt({ kind: "withdraw", what }, () => this.client.withdraw(this.room, what, seat));
  }

  abort(seat: Seat): Promise<boolean> {
    return this.attempt({ kind: "abort" }, () => this.client.abort(this.room, seat));
  }

  /** Give the game up, for the seat that is to act if `seat` is null. */
  resign(seat: Seat | null): Promise<boolean> {
    return this.attempt({ kind: "resign" }, () => this.client.resign(this.room, seat));
  }

  /** End the game because the opponent has left it. */
  claim(outcome: Claim["outcome"], seat: Seat): Promise<boolean> {
    return this.attempt({ kind: "claim", outcome }, () => this.client.claim(this.room, outcome, seat));
  }

  /** Make a request between players. Resolves to whether it was done. While one waits for a connection,
   * there is no other: by the time it were sent, nobody knows what it would mean. */
  private async attempt(asked: Asked, request: () => Promise<void>): Promise<boolean> {
    if (this.asked.value.length && this.client.status.kind !== "online") return false;
    this.refused.value = null;
    this.asked.value = [...this.asked.value, asked];
    try {
      await request();
      return true;
    } catch (error) {
      this.refused.value = error instanceof Refused ? error : null;
      return false;
    } finally {
      this.asked.value = this.asked.value.filter((other) => other !== asked);
    }
  }

  /** Do not send what waits for a connection: an action, or a request between players. */
  cancel(type: Asked["kind"] | "act"): void {
    this.client.cancel(this.room, type);
  }

  /** The seat that played last, if you play both sides. */
  lastSeat(): Seat {
    const { ply, position } = this.state.value!;
    return this.history.at(ply - 1)?.to_act ?? otherOf(position.to_act ?? 1);
  }

  // --- what comes ---

  private update(state: RoomState, event: Event | null): void {
    const before = this.state.value;
    const record = event && (JSON.parse(event.record) as LogRecord);
    const lag = record?.kind === "acted" && { seat: record.seat, given: record.given ?? 0 };
    this.lag.value = lag && lag.given >= LAG_SHOWN ? lag : null;
    if (before) this.notice(before, state, record);
    this.made.value = madeAfter(this.made.value, state, this.offers.value);
    this.state.value = state;
    this.history.follow(state);
    const played = event !== null && before !== null && state.ply > before.ply;
    this.fresh.value = played ? { ply: state.ply, action: state.actions.at(-1)! } : null;
    if (before?.turn !== state.turn || before.epoch !== state.epoch || before.status !== state.status) {
      this.draft.value = EMPTY_DRAFT;
      this.answers.value = new Map();
      const { value: sent } = this.sent;
      if (sent?.kind === "refused" || (sent?.kind === "kept" && state.turn > sent.turn + 1))
        this.sent.value = null;
    }
    if (this.sent.value?.kind === "sending" && state.turn > this.sent.value.turn)
      this.sent.value = { ...this.sent.value, kind: "kept" };
  }

  private notice(before: RoomState, state: RoomState, record: LogRecord | null): void {
    this.offers.value = newsOf(before, state, record && record.kind);
    if (record) this.refused.value = null;
    if (state.rematch && !before.rematch) this.next.value = state.rematch;
    if (this.ply.value > state.ply) this.viewed.value = null; // what you looked at was taken back
  }

  private refresh(): void {
    this.acting.value = this.error.value ? null : this.room.turnOf;
    if (this.state.value && this.seats.value.length)
      this.context.remember(this.state.value, this.seats.value, this.invitation);
    if (this.acting.value !== null && !this.legal.value) void this.inquire();
  }

  /** Get the answer to what may come next. Resolves to whether there is one. */
  private async inquire(): Promise<boolean> {
    const { place, draft, answers } = this;
    const { prefix } = draft.value;
    if (answers.value.has(prefix)) return true;
    const [at, key] = [place.value, `${place.value} ${prefix}`];
    const asked = this.asking.get(key) ?? this.ahead(prefix);
    this.asking.set(key, asked);
    const legal = await asked;
    this.asking.delete(key);
    if (!legal || legal.turn !== this.state.value?.turn || at !== place.value) return false;
    if (!answers.value.has(prefix)) answers.value = new Map([...answers.value, [prefix, legal]]);
    return true;
  }

  /** What may come after a prefix; null if there is no answer, because the room or the client has ended,
   * which says so itself. */
  private ahead(prefix: string): Promise<Legal | null> {
    return this.client.legal(this.room, prefix).catch(() => null);
  }
}
