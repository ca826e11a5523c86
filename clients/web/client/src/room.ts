/** A room that is being followed: its state, who is there, and who wants to hear of it. */

import type { Refused } from "./errors.js";
import { Follower, type Verdict } from "./follower.js";
import type { Chat, Event, Join, Ok, Place, Presence, RoomState, Snapshot } from "./messages.js";
import { ChatHistory } from "./chat.js";

export type Seat = 0 | 1;

/**
 * The room has a new state (by `event`; by a snapshot if that is null), other presence, something
 * was said, other seats are one's own, the seat that was wanted was refused, or nothing more will come.
 */
export type RoomUpdate =
  | { kind: "state"; state: RoomState; event: Event | null }
  | { kind: "presence"; presence: Presence }
  | { kind: "chat"; chat: ChatHistory }
  | { kind: "seats"; seats: readonly Seat[] }
  | { kind: "refused"; error: Refused }
  | { kind: "ended"; error: Error };

const NOWHERE: Place = { epoch: 0, seq: 0, chain: 0 };

function isBefore(one: Place, other: Place): boolean {
  return one.epoch < other.epoch || (one.epoch === other.epoch && one.seq < other.seq);
}

export class Room {
  presence: Presence | null = null;
  readonly chat = new ChatHistory();
  /** The seats that one holds here. */
  seats: readonly Seat[] = [];
  /** Why nothing more will come; null while it does. */
  error: Error | null = null;
  /** The place that an answer spoke of; what has happened until there may come later (SPEC 2.1, 6.9). */
  private known = NOWHERE;
  private readonly follower = new Follower();
  private readonly listeners = new Set<(news: RoomUpdate) => void>();

  /** `wanted` is the seat to take, with a nonce; null once it is one's own, or to watch.
   * `invitation` is what a private room asks for (SPEC 20.3). */
  constructor(
    readonly id: string,
    public wanted: { seat: Seat | "any"; nonce: string } | null,
    private readonly invitation: string | null,
  ) {}

  get state(): RoomState | null {
    return this.follower.state;
  }

  /** The seat that may act now and is one's own; null if there is none. */
  get turnOf(): Seat | null {
    const state = this.state;
    if (!state || state.status !== "running" || this.behind) return null;
    if (state.clock?.paused != null) return null; // nobody can (SPEC 19.6)
    const seat = state.position.to_act;
    return seat !== null && this.seats.includes(seat) ? seat : null;
  }

  /** Whether an answer spoke of a place that the state has not come to yet. */
  get behind(): boolean {
    return this.state !== null && isBefore(this.state, this.known);
  }

  /** Hear of what changes, until the returned function is called. */
  listen(listener: (news: RoomUpdate) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  // --- what the client's connection tells ---

  /** The fields of the join that is sent now. */
  joining(): Pick<Join, "since" | "seat" | "nonce" | "invitation"> {
    this.follower.rejoin();
    const invited = this.invitation === null ? {} : { invitation: this.invitation };
    return { since: this.follower.since, ...this.wanted, ...invited };
  }

  /** An answer spoke of this place. */
  learn(place: Place | null | undefined): void {
    if (place && isBefore(this.known, place)) this.known = place;
  }

  joined(ok: Ok): void {
    this.follower.joined(ok);
    this.known = ok.place ?? NOWHERE;
    this.wanted = null;
    this.seats = ok.seats ?? [];
    this.tell({ kind: "seats", seats: this.seats });
  }

  refused(error: Refused): void {
    this.follower.refused();
    this.wanted = null;
    this.tell({ kind: "refused", error });
  }

  snapshot(message: Snapshot): Verdict {
    const verdict = this.follower.snapshot(message);
    if (verdict === "changed") {
      this.known = NOWHERE; // it is the truth (SPEC 6.7)
      this.tell({ kind: "state", state: message.state, event: null });
    }
    return verdict;
  }

  event(event: Event): Verdict {
    const verdict = this.follower.event(event);
    if (verdict === "changed") this.tell({ kind: "state", state: this.follower.state!, event });
    return verdict;
  }

  present(presence: Presence): void {
    this.presence = presence;
    this.tell({ kind: "presence", presence });
  }

  /** Hear messages; the first number that is missing, if one is (SPEC 21.5). */
  said({ channel, messages }: Pick<Chat, "channel" | "messages">, trimmed = false): number | null {
    const missing = this.chat.take(channel, messages, trimmed);
    this.tell({ kind: "chat", chat: this.chat });
    return missing;
  }

  /** Lines that were heard say something else now: they were muted, or are so no longer. */
  corrected({ channel, messages }: Pick<Chat, "channel" | "messages">): void {
    this.chat.correct(channel, messages);
    this.tell({ kind: "chat", chat: this.chat });
  }

  end(error: Error): void {
    this.error = error;
    this.tell({ kind: "ended", error });
  }

  private tell(news: RoomUpdate): void {
    for (const listener of this.listeners) listener(news);
  }
}
