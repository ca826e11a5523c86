/** A room that is being followed: its state, who is there, and who wants to hear of it. */

import { ChatHistory, type Channel, type ChatEntry } from "./chat.js";
import type { Refused } from "./errors.js";
import { Follower, type Verdict } from "./follower.js";
import type { Chat, Event, Join, Ok, Place, Presence, RoomState, Snapshot } from "./messages.js";

export type Seat = 0 | 1;

/** A room as an application sees it. All of it follows what the server tells. */
export interface Room {
  readonly id: string;
  /** null until the first snapshot has come. */
  readonly state: RoomState | null;
  readonly presence: Presence | null;
  readonly chat: Conversation;
  /** The seats that you hold here. */
  readonly seats: readonly Seat[];
  /** Why nothing more will come; null while it does. */
  readonly error: Error | null;
  /** The seat that may act now and is yours; null if there is none. */
  readonly turnOf: Seat | null;
  /** Whether an answer spoke of a place that the state has not come to yet. */
  readonly behind: boolean;
  /** Hear of what changes, until the returned function is called. */
  listen(listener: (news: RoomUpdate) => void): () => void;
}

/** What is said in a room, in both channels. */
export interface Conversation {
  /** All that was heard, in the order in which it was said. */
  readonly messages: readonly ChatEntry[];
  /** The number of the last message that was heard in a channel; 0 for none. */
  last(channel: Channel): number;
}

/**
 * The room has a new state (by `event`; by a snapshot if that is null), presence has changed, something
 * was said, other seats are yours, the seat that you wanted was refused, or nothing more will come.
 */
export type RoomUpdate =
  | { kind: "state"; state: RoomState; event: Event | null }
  | { kind: "presence"; presence: Presence }
  | { kind: "chat"; chat: Conversation }
  | { kind: "seats"; seats: readonly Seat[] }
  | { kind: "refused"; error: Refused }
  | { kind: "ended"; error: Error };

const NOWHERE: Place = { epoch: 0, seq: 0, chain: 0 };

function isBefore(one: Place, other: Place): boolean {
  return one.epoch < other.epoch || (one.epoch === other.epoch && one.seq < other.seq);
}

/** The room with what its session tells it. */
export class FollowedRoom implements Room {
  presence: Presence | null = null;
  readonly chat = new ChatHistory();
  seats: readonly Seat[] = [];
  error: Error | null = null;
  /** The place that an answer spoke of; what has happened until there may come later (SPEC 2.1, 6.9). */
  private known = NOWHERE;
  private readonly follower = new Follower();
  private readonly listeners = new Set<(news: RoomUpdate) => void>();

  /** `wanted` is the seat to take, with a nonce; null once you hold it, or to watch.
   * `invitation` is what a private room asks for (SPEC 20.3). */
  constructor(
    readonly id: string,
    public wanted: { seat: Seat | "any"; nonce: string } | null,
    private readonly invitation: string | null,
  ) {}

  get state(): RoomState | null {
    return this.follower.state;
  }

  get turnOf(): Seat | null {
    const state = this.state;
    if (!state || state.status !== "running" || this.behind) return null;
    if (state.clock?.paused != null) return null; // nobody can (SPEC 19.6)
    const seat = state.position.to_act;
    return seat !== null && this.seats.includes(seat) ? seat : null;
  }

  get behind(): boolean {
    return this.state !== null && isBefore(this.state, this.known);
  }

  listen(listener: (news: RoomUpdate) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  // --- what the session tells ---

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
