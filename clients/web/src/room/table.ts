/**
 * A room as one sits at it: its state, the action that is being put together or on its way, and the
 * ply that is looked at. All that changes it is here; nothing is drawn.
 */

import {
  Refused,
  newNonce,
  type Ask,
  type Event,
  type Legal,
  type LogRecord,
  type Presence,
  type Room,
  type RoomState,
  type Seat,
} from "@pierule/client";
import { computed, signal } from "@preact/signals";
import {
  EMPTY_DRAFT,
  actionOf,
  guess,
  guessSetUp,
  pick,
  targetsOf,
  unpick,
  type Draft,
} from "../board/draft";
import { client } from "../server";
import { confirming } from "../settings";
import { remember } from "../home/mine";
import { History } from "./history";
import { newsOf, otherOf, type OfferNews, type What } from "./offers";

/** A request between players, to which the room and a nonce are added. */
type Plain<T> = T extends { room: string; nonce: string } ? Omit<T, "room" | "nonce"> : never;
type Manner = Plain<
  Extract<Ask, { type: "offer" | "accept" | "decline" | "withdraw" | "abort" | "resign" | "claim" }>
>;

/** How it goes with what was played here: on its way, kept by the server, or refused. */
export type Sent =
  | { kind: "sending"; action: string; turn: number }
  | { kind: "kept"; action: string; turn: number }
  | { kind: "refused"; error: Refused };

export class Table {
  readonly state = signal<RoomState | null>(null);
  readonly presence = signal<Presence | null>(null);
  readonly seats = signal<readonly Seat[]>([]);
  readonly error = signal<Error | null>(null);
  readonly history = new History();
  /** The ply that is looked at; null: whatever is newest. */
  readonly viewed = signal<number | null>(null);
  readonly draft = signal<Draft>(EMPTY_DRAFT);
  readonly answers = signal<ReadonlyMap<string, Legal>>(new Map());
  readonly sent = signal<Sent | null>(null);
  /** The last action of the newest state, if it came as an event: it may be shown moving. */
  readonly fresh = signal<{ ply: number; action: string } | null>(null);
  /** What became of offers with the latest event. */
  readonly offers = signal<readonly OfferNews[]>([]);
  /** Why the latest request between players was refused; null: it was not. */
  readonly refused = signal<Refused | null>(null);
  /** The room of the rematch, once it is there while one is in this one. */
  readonly next = signal<string | null>(null);

  readonly position = computed(() => {
    const ply = this.viewed.value;
    const past = ply === null ? null : this.history.positions.value.get(ply);
    return past ?? this.state.value?.position ?? null;
  });
  readonly ply = computed(() => this.viewed.value ?? this.state.value?.ply ?? 0);
  /** The position before that one, for what has changed; null if it is not known. */
  readonly before = computed(() => this.history.positions.value.get(this.ply.value - 1) ?? null);
  /** The seat that one acts for now; null while it is another's turn, or one is looking back. */
  readonly acting = signal<Seat | null>(null);
  readonly targets = computed(() => targetsOf(this.draft.value, this.answers.value));
  readonly action = computed(() => actionOf(this.draft.value, this.answers.value));

  private readonly stop: () => void;

  constructor(
    readonly room: Room,
    readonly invitation: string | null,
  ) {
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

  /** Look at a ply; at the newest state again if that is it. */
  async look(ply: number): Promise<void> {
    const last = this.state.value?.ply ?? 0;
    const wanted = Math.max(0, ply);
    if (wanted >= last) {
      this.viewed.value = null;
      return;
    }
    if (!this.history.at(wanted) || (wanted && !this.history.at(wanted - 1))) await this.history.complete();
    this.viewed.value = wanted;
  }

  // --- putting an action together ---

  /** A point was chosen. Gives what the server says if it may not be played. */
  async choose(point: string): Promise<Refused | null> {
    await this.inquire(this.draft.value.prefix); // a quick finger is faster than the answer
    if (this.acting.value === null || this.sent.value?.kind === "sending") return null;
    this.sent.value = null;
    const { draft, answers } = this;
    const isLast = draft.value.picked.at(-1) === point;
    if (isLast && this.action.value && !this.setUp) return this.send();
    if (this.targets.value.has(point)) {
      draft.value = pick(draft.value, point, answers.value);
      await this.inquire(draft.value.prefix);
      const settled = this.action.value && !this.targets.value.size;
      return settled && confirming.value === "no" ? this.send() : null;
    }
    if (draft.value.picked.includes(point)) {
      this.undo(point);
      return null;
    }
    return this.explain(point);
  }

  /** Whether what is put together is a set-up, whose pieces can be taken back one by one. */
  private get setUp(): boolean {
    return !!this.answers.value.get("")?.template?.length;
  }

  /** Take the last point back, or a point of a set-up that is named. */
  undo(point?: string): void {
    const { picked } = this.draft.value;
    this.draft.value =
      this.setUp && point
        ? { ...this.draft.value, picked: picked.filter((other) => other !== point) }
        : unpick(this.draft.value);
  }

  clear(): void {
    this.draft.value = EMPTY_DRAFT;
    if (this.sent.value?.kind === "refused") this.sent.value = null;
  }

  /** Send the action that is put together, or a word; what the server says if it is refused. */
  async send(word?: string): Promise<Refused | null> {
    const action = word ?? this.action.value;
    const turn = this.state.value?.turn;
    if (!action || turn === undefined || this.sent.value?.kind === "sending") return null;
    this.sent.value = { kind: "sending", action, turn };
    this.draft.value = EMPTY_DRAFT;
    return this.act(turn, action);
  }

  private async act(turn: number, action: string): Promise<Refused | null> {
    try {
      await client.act(this.room, turn, action);
      this.sent.value = { kind: "kept", action, turn };
      return null;
    } catch (error) {
      const refused = error instanceof Refused && error.code !== "stale" ? error : null;
      this.sent.value = refused && { kind: "refused", error: refused };
      return refused; // of a client that has stopped its status tells
    } finally {
      this.refresh();
    }
  }

  /** Why a point may not be chosen: what is not in `legal` is refused, and that says why. */
  private async explain(point: string): Promise<Refused | null> {
    const { state, answers } = this;
    const position = state.value?.position;
    const template = answers.value.get("")?.template;
    if (!position || !answers.value.has("")) return null;
    const turn = state.value!.turn;
    if (template?.length) return this.act(turn, guessSetUp(this.draft.value, point, template));
    const action = guess(position.game, this.draft.value, point);
    const legal = await this.legal(action);
    if (legal?.turn !== turn || state.value!.turn !== turn) return null;
    if (legal.total) {
      this.answers.value = new Map([...answers.value, [action, legal]]);
      this.draft.value = { picked: [...this.draft.value.picked, point], prefix: action };
      return null;
    }
    return this.act(turn, action);
  }

  /** Take the free seat; what the server says if that is refused. */
  async sit(): Promise<Refused | null> {
    const { room } = this;
    const free = this.state.value!.seats.findIndex((holder) => !holder);
    client.join(room.id, this.seats.value.length ? (free as Seat) : "any");
    return new Promise((resolve) => {
      const stop = room.listen((news) => {
        if (news.kind !== "seats" && news.kind !== "refused") return;
        stop();
        resolve(news.kind === "refused" ? news.error : null);
      });
    });
  }

  // --- what players agree on (SPEC 19) ---

  /** Ask for what is done between players; whether it was. */
  async ask(manner: Manner): Promise<boolean> {
    this.refused.value = null;
    const request = { ...manner, room: this.room.id, nonce: newNonce() } as Ask;
    return client.request(request).then(
      () => true,
      (error: Error) => {
        this.refused.value = error instanceof Refused ? error : null;
        return false;
      },
    );
  }

  /** Offer something to the other player; who plays both sides agrees at once. */
  async offer(what: What, seat: Seat): Promise<void> {
    const offered = await this.ask({ type: "offer", what, seat });
    if (offered && this.seats.value.length === 2) await this.accept(what, otherOf(seat));
  }

  /** Accept what is offered, as it is seen now. */
  async accept(what: What, seat: Seat): Promise<void> {
    await this.ask({ type: "accept", what, turn: this.state.value!.turn, seat });
  }

  /** The seat that has played last, of who plays both sides. */
  lastSeat(): Seat {
    const { ply, position } = this.state.value!;
    return this.history.at(ply - 1)?.to_act ?? otherOf(position.to_act ?? 1);
  }

  // --- what comes ---

  private update(state: RoomState, event: Event | null): void {
    const before = this.state.value;
    if (before) this.notice(before, state, event);
    this.state.value = state;
    this.history.follow(state);
    const played = event !== null && before !== null && state.ply > before.ply;
    this.fresh.value = played ? { ply: state.ply, action: state.actions.at(-1)! } : null;
    if (before?.turn !== state.turn || before.status !== state.status) {
      this.draft.value = EMPTY_DRAFT;
      this.answers.value = new Map();
      const { value: sent } = this.sent;
      if (sent?.kind === "refused" || (sent?.kind === "kept" && state.turn > sent.turn + 1))
        this.sent.value = null;
    }
    if (this.sent.value?.kind === "sending" && state.turn > this.sent.value.turn)
      this.sent.value = { ...this.sent.value, kind: "kept" };
  }

  private notice(before: RoomState, state: RoomState, event: Event | null): void {
    const kind = event && (JSON.parse(event.record) as LogRecord).kind;
    this.offers.value = newsOf(before, state, kind);
    if (event) this.refused.value = null;
    if (state.rematch && !before.rematch) this.next.value = state.rematch;
    if (this.ply.value > state.ply) this.viewed.value = null; // what is looked at was taken back
  }

  private refresh(): void {
    this.acting.value = this.room.turnOf;
    if (this.state.value && this.seats.value.length)
      remember(this.state.value, this.seats.value, this.invitation);
    if (this.acting.value !== null && !this.answers.value.has("")) void this.inquire("");
  }

  private async inquire(prefix: string): Promise<void> {
    if (this.answers.value.has(prefix)) return;
    const legal = await this.legal(prefix);
    if (legal && legal.turn === this.state.value?.turn)
      this.answers.value = new Map([...this.answers.value, [prefix, legal]]);
  }

  /** null if there is no answer: then the room or the client has ended, and says so itself. */
  private async legal(prefix: string): Promise<Legal | null> {
    const request = { type: "legal", room: this.room.id, prefix } as const;
    return client.request(request).then(
      ({ legal }) => legal ?? null,
      () => null,
    );
  }
}
