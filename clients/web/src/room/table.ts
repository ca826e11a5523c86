/**
 * A room as one sits at it: its state, the action that is being put together or on its way, and the
 * ply that is looked at. All that changes it is here; nothing is drawn.
 */

import {
  Refused,
  newNonce,
  type Legal,
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

  constructor(readonly room: Room) {
    this.stop = room.listen((news) => {
      if (news.kind === "state") this.update(news.state, news.event !== null);
      else if (news.kind === "presence") this.presence.value = news.presence;
      else if (news.kind === "ended") this.error.value = news.error;
      else if (news.kind === "seats") this.seats.value = news.seats;
      this.refresh();
    });
    this.presence.value = room.presence;
    this.seats.value = room.seats;
    this.error.value = room.error;
    if (room.state) this.update(room.state, false);
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
    await this.ask(this.draft.value.prefix); // a quick finger is faster than the answer
    if (this.acting.value === null || this.sent.value?.kind === "sending") return null;
    this.sent.value = null;
    const { draft, answers } = this;
    const isLast = draft.value.picked.at(-1) === point;
    if (isLast && this.action.value && !this.setUp) return this.send();
    if (this.targets.value.has(point)) {
      draft.value = pick(draft.value, point, answers.value);
      await this.ask(draft.value.prefix);
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

  /** Give the game up, for the seat that is one's own, or that is to act if both are. */
  async resign(): Promise<void> {
    const seat = this.seats.value.length === 1 ? this.seats.value[0]! : null;
    await client.request({ type: "resign", room: this.room.id, nonce: newNonce(), seat }).catch(() => {});
  }

  // --- what comes ---

  private update(state: RoomState, event: boolean): void {
    const before = this.state.value;
    this.state.value = state;
    this.history.follow(state);
    const played = event && before !== null && state.ply > before.ply;
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

  private refresh(): void {
    this.acting.value = this.room.turnOf;
    if (this.state.value && this.seats.value.length) remember(this.state.value, this.seats.value);
    if (this.acting.value !== null && !this.answers.value.has("")) void this.ask("");
  }

  private async ask(prefix: string): Promise<void> {
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
