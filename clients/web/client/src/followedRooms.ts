/** The rooms that a session follows, over as many connections as it takes (SPEC 2.3). */

import type { Channel } from "./chat.js";
import { ChatRecovery } from "./chatRecovery.js";
import { PASSING } from "./codes.js";
import type { Ask, Connection, RoomMessage } from "./connection.js";
import { newNonce, type Environment } from "./environment.js";
import { Desync, Refused } from "./errors.js";
import type { Ok, Place } from "./messages.js";
import type { Pauses } from "./pauses.js";
import { FollowedRoom, type Room, type Seat } from "./room.js";

/** How long after a `stale` an event may take to come, in ms (SPEC 14). */
const STALE = 5_000;

/** What the session does for its rooms. */
interface Host {
  request(request: Ask): Promise<Ok>;
  /** Whether the session does nothing else on its connection, and another process may serve this room better
   * (SPEC 1.16). */
  movable(id: string): boolean;
  /** Connect again at once, by the room's hint. */
  move(): void;
}

export class FollowedRooms {
  private readonly rooms = new Map<string, FollowedRoom>();
  private readonly chatRecovery: ChatRecovery;
  private connection: Connection | null = null;

  constructor(
    private readonly environment: Environment,
    private readonly pauses: Pauses,
    private readonly host: Host,
  ) {
    this.chatRecovery = new ChatRecovery((request) => host.request(request));
  }

  /** The id of the room that was joined last. */
  get latest(): string | undefined {
    return [...this.rooms.keys()].at(-1);
  }

  /** Use another connection, and join all rooms again on it; or (null) use none. */
  use(connection: Connection | null): void {
    this.connection = connection;
    if (connection) for (const room of this.rooms.values()) this.follow(room);
  }

  join(id: string, seat: Seat | "any" | null, invitation: string | null): Room {
    const wanted = seat === null ? null : { seat, nonce: newNonce(this.environment) };
    let room = this.rooms.get(id);
    if (room && !wanted) return room;
    if (room) room.wanted = wanted;
    else this.rooms.set(id, (room = new FollowedRoom(id, wanted, invitation)));
    this.follow(room);
    return room;
  }

  leave(room: Room): void {
    if (this.rooms.get(room.id) !== room) return;
    this.rooms.delete(room.id);
    this.connection?.ask({ type: "leave", room: room.id }, () => {});
  }

  /** Nothing more will come, in any room. */
  end(error: Error): void {
    for (const room of this.rooms.values()) room.end(error);
  }

  async aimed(room: Room, request: Ask): Promise<Ok> {
    const followed = this.rooms.get(room.id);
    try {
      const ok = await this.host.request(request);
      followed?.learn(ok.place);
      return ok;
    } catch (error) {
      if (followed && error instanceof Refused && error.code === "stale")
        this.expect(followed, error.answer.place);
      throw error;
    }
  }

  /** The server says that the room is at another place: if no event explains it soon, catch up (SPEC 6.9). */
  private expect(room: FollowedRoom, place: Place | null | undefined): void {
    const { state } = room;
    room.learn(place);
    if (!room.behind) return;
    this.environment.after(STALE, () => {
      if (this.rooms.get(room.id) === room && room.state === state) this.follow(room);
    });
  }

  async reread(room: Room, channel: Channel, first: number): Promise<void> {
    const followed = this.rooms.get(room.id);
    if (followed) await this.chatRecovery.reread(followed, channel, first);
  }

  private follow(room: FollowedRoom, attempt = 0, goto = this.movable(room)): void {
    if (this.rooms.get(room.id) !== room) return; // left while this waited
    const join = { type: "join", room: room.id, ...room.joining(), ...(goto && { goto }) } as const;
    this.connection?.ask(join, (answer) => {
      if (this.rooms.get(room.id) !== room) return;
      if (answer.type === "ok") room.joined(answer);
      else if (answer.code === "goto" && this.movable(room)) this.host.move();
      else if (answer.code === "goto") this.follow(room, attempt, false);
      else if (PASSING.has(answer.code)) {
        this.pauses.later(answer, attempt, (next) => this.follow(room, next));
      } else if (room.state && room.wanted) room.refused(new Refused(answer)); // it is still followed
      else this.drop(room, new Refused(answer));
    });
  }

  private movable(room: FollowedRoom): boolean {
    return this.rooms.size === 1 && !room.state && this.host.movable(room.id);
  }

  private drop(room: FollowedRoom, error: Error): void {
    this.leave(room);
    room.end(error);
  }

  /** The room does not exist any more; if it is damaged, `text` says so (SPEC 1.5). */
  gone(id: string, text: string | null): void {
    const room = this.rooms.get(id);
    if (!room) return;
    const code = text === null ? "unknown_room" : "damaged"; // which alone tells why
    this.drop(
      room,
      new Refused({ type: "error", id: null, code, text: text ?? "the room does not exist any more" }),
    );
  }

  told(message: RoomMessage): void {
    const place = message.type === "snapshot" ? message.state : message;
    const room = this.rooms.get(place.room);
    if (!room) return; // left already
    if (message.type === "presence") return room.present(message);
    if (message.type === "chat") return this.chatRecovery.said(room, message);
    const verdict = message.type === "event" ? room.event(message) : room.snapshot(message);
    const { epoch, seq } = message.type === "event" ? message : message.state;
    if (verdict === "mismatch" || verdict === "desync") {
      const report = { room: room.id, epoch, seq, problem: verdict } as const;
      this.connection?.ask({ type: "board_mismatch", ...report }, () => {});
    }
    if (verdict === "mismatch" || verdict === "rejoin") this.follow(room);
    if (verdict === "desync") this.drop(room, new Desync(room.id));
  }
}
