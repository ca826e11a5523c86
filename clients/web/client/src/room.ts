/** A followed room: its state, its presence, its chat, and its listeners. */

import { ChatHistory, type Channel, type ChatEntry } from "./chat.js";
import type { Refused } from "./errors.js";
import { Follower, type Verdict } from "./follower.js";
import type { Chat, Event, Join, Ok, Place, Presence, RoomState, Snapshot } from "./messages.js";

export type Seat = 0 | 1;

/** A room as an application sees it. It changes as the server's messages come. */
export interface Room {
  readonly id: string;
  /** null until the first snapshot has come. */
  readonly state: RoomState | null;
  readonly presence: Presence | null;
  readonly chat: Conversation;
  /** The seats that you hold here. */
  readonly seats: readonly Seat[];
  /** Why nothing more will come; null while the room is followed. */
  readonly error: Error | null;
  /** Your seat, if it may act now; null if none of yours may. */
  readonly turnOf: Seat | null;
  /** Whether an answer named a place that the state has not reached yet. */
  readonly behind: boolean;
  /** Call `listener` with each change, until you call the returned function. */
  listen(listener: (news: RoomUpdate) => void): () => void;
}

/** The chat of a room, in both channels. */
export interface Conversation {
  /** All messages that came, in the order in which they were said. */
  readonly messages: readonly ChatEntry[];
  /** The number of a channel's last message; 0 if none came. */
  last(channel: Channel): number;
}

/**
 * The room has a new state (by `event`, or by a snapshot if that is null), presence has changed, chat
 * messages came, your seats have changed, the seat that you wanted was refused, or nothing more will come.
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

/** The room as its session changes it. */
export class FollowedRoom implements Room {
  presence: Presence | null = null;
  readonly chat = new ChatHistory();
  seats: readonly Seat[] = [];
  error: Error | null = null;
  /** The place that an answer named; the events up to it may come later (SPEC 2.1, 6.9). */
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
    if (state.clock?.paused != null) return null; // nobody may act (SPEC 19.6)
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

  /** An answer named this place. */
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
      this.known = NOWHERE; // a snapshot is the truth (SPEC 6.7)
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

  /** Take messages. Returns the first missing number; null if none is missing (SPEC 21.5). */
  said({ channel, messages }: Pick<Chat, "channel" | "messages">, trimmed = false): number | null {
    const missing = this.chat.take(channel, messages, trimmed);
    this.tell({ kind: "chat", chat: this.chat });
    return missing;
  }

  /** Known messages have changed: their users were muted, or are no longer muted. */
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
