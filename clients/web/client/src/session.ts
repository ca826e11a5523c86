/**
 * What a client keeps over many connections: who it is, its requests and its rooms.
 *
 * When a connection ends, the session opens another. It joins its rooms again from the places that they
 * have reached, and sends every request that waits for an answer again, with the same turn or nonce, so that
 * nothing happens twice (SPEC 2.3, 6.8).
 */

import { reconnectDelay, retryDelay } from "./backoff.js";
import { msgpack } from "./codec.js";
import { PASSING } from "./codes.js";
import { Desync, Refused, Stopped } from "./errors.js";
import type { Channel } from "./chat.js";
import { ChatRecovery } from "./chatRecovery.js";
import { Connection, type Ask, type ServerPush, type RoomMessage } from "./connection.js";
import { newNonce, platform, type Environment } from "./environment.js";
import { hinted } from "./hint.js";
import type { AccountState, Ok, Place, Welcome } from "./messages.js";
import type { ClientOptions, Status } from "./options.js";
import { Pauses } from "./pauses.js";
import { PendingRequests } from "./pendingRequests.js";
import { explainBy } from "./refusal.js";
import { FollowedRoom, type Room, type Seat } from "./room.js";
import { Timekeeper } from "./timekeeper.js";

/** The assumed seconds between pings, if the server sends none (SPEC 1.4). */
const PING_SECONDS = 20;
/** How long after a `stale` an event may take to come, in ms (SPEC 14). */
const STALE = 5_000;

export class Session {
  status: Status = { kind: "connecting" };
  /** Whether the server said that it cannot reach its store (SPEC 1.5). */
  storeAway = false;
  /** What the server said is wrong with its store, in words. */
  storeTrouble: string | null = null;
  /** The latest welcome; null before the first. */
  welcome: Welcome | null = null;
  readonly environment: Environment;

  private readonly options: ClientOptions;
  private readonly urls: string[];
  private readonly rooms = new Map<string, FollowedRoom>();
  private readonly listeners = new Set<() => void>();
  private readonly hearers = new Set<(news: ServerPush) => void>();
  private readonly greeted = new Set<() => void>();
  private readonly pauses: Pauses;
  private readonly pending: PendingRequests;
  private readonly time: Timekeeper;
  private readonly chatRecovery = new ChatRecovery((request) => this.request(request));
  private dialled: Connection | null = null;
  private connection: Connection | null = null; // the same, once it was welcomed: no request goes out before
  private address = ""; // of the current connection, with its hint
  private token: string | null;
  private name: string | null; // the name for the next hello
  private attempt = 0;
  private cancelTry = () => {}; // the next try
  private renaming: { resolve: () => void; reject: (error: Error) => void } | null = null;

  constructor(options: ClientOptions) {
    this.options = options;
    this.environment = { ...platform, ...options.environment };
    this.pauses = new Pauses(this.environment);
    this.pending = new PendingRequests(this.pauses);
    this.time = new Timekeeper(this.environment);
    this.urls = [...options.urls];
    this.token = typeof options.token === "function" ? null : (options.token ?? null);
    this.name = options.name ?? null;
    this.connect();
  }

  /** The address of the current connection, or the next to try. */
  get url(): string {
    return this.urls[0]!;
  }

  // --- news and requests ---

  /** Call `listener` when `status`, `welcome` or `storeAway` changes, until you call what it returns. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Call `hearer` with what comes unasked and belongs to no room, until you call the returned function. */
  hear(hearer: (news: ServerPush) => void): () => void {
    this.hearers.add(hearer);
    return () => this.hearers.delete(hearer);
  }

  /** Call `greeted` after the welcome of every connection, including the current one, until you call the
   * returned function. */
  welcomed(greeted: () => void): () => void {
    this.greeted.add(greeted);
    if (this.connection) greeted();
    return () => this.greeted.delete(greeted);
  }

  /** The latest welcome; waits for the first. Rejects with Stopped or Refused. */
  async online(): Promise<Welcome> {
    if (!this.welcome) await this.request({ type: "ping" }); // answered only after a welcome
    return this.welcome!;
  }

  /** Send a request until there is an answer, over as many connections as it takes. Rejects with Refused or
   * Stopped. After an error that passes it tries again, and only calls `delayed`. */
  request(request: Ask, delayed?: (error: Refused) => void): Promise<Ok> {
    if (this.status.kind === "stopped") return Promise.reject(this.status.error);
    return this.pending.add(request, delayed);
  }

  /** Give up requests of a type about a room that have no answer yet: they are not sent again, and reject
   * with an `AbortError`. What the server has received already stays done. */
  cancel(room: Room, type: Ask["type"]): void {
    this.pending.cancel((request) => request.type === type && "room" in request && request.room === room.id);
  }

  /** Follow a room, and take a seat in it if you name one. A private room needs its `invitation`. The state
   * comes later: listen to the room. */
  join(id: string, seat: Seat | "any" | null = null, invitation: string | null = null): Room {
    const wanted = seat === null ? null : { seat, nonce: newNonce(this.environment) };
    let room = this.rooms.get(id);
    if (room && !wanted) return room;
    if (room) room.wanted = wanted;
    else this.rooms.set(id, (room = new FollowedRoom(id, wanted, invitation)));
    this.follow(room);
    return room;
  }

  /** Stop following a room. */
  leave(room: Room): void {
    if (this.rooms.get(room.id) !== room) return;
    this.rooms.delete(room.id);
    this.connection?.ask({ type: "leave", room: room.id }, () => {});
  }

  /** Send a request about a turn of a followed room. */
  protected async aimed(room: Room, request: Ask): Promise<Ok> {
    const followed = this.rooms.get(room.id);
    try {
      const ok = await this.request(request);
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

  /** The store's time in ms since 1970; until a ping is answered, this computer's time. */
  now(): number {
    return this.time.now();
  }

  /** Change your name. This takes a new hello, on a new connection. Rejects with Refused if the server
   * refuses the name, and with Stopped. */
  rename(name: string): Promise<void> {
    if (this.status.kind === "stopped") return Promise.reject(this.status.error);
    this.renaming?.reject(new Error("another name was chosen meanwhile"));
    this.name = name;
    return new Promise((resolve, reject) => {
      this.renaming = { resolve, reject };
      this.dialled?.drop(); // even if its hello is under way: it has the old name
    });
  }

  /** Read messages of a room again: known messages from `first` on may differ, now that the block list has
   * changed (SPEC 21.7). Rejects with Refused or Stopped. */
  async reread(room: Room, channel: Channel, first: number): Promise<void> {
    const followed = this.rooms.get(room.id);
    if (followed) await this.chatRecovery.reread(followed, channel, first);
  }

  /** The network may be back: if the session waits for its next try, make it soon. */
  hurry(): void {
    if (this.status.kind !== "waiting") return;
    this.attempt = 0;
    this.wait(retryDelay(0, this.environment.random()), this.status.code);
  }

  /** The network is gone: give the connection up. */
  suspect(): void {
    this.connection?.drop();
  }

  /** End everything. Requests that wait reject with Stopped. */
  close(): void {
    this.stop(new Stopped("this client was closed", 1000));
  }

  // --- connecting ---

  private connect(): void {
    this.become({ kind: "connecting" });
    this.dial();
  }

  private dial(): void {
    const { open = (url, protocol) => new WebSocket(url, protocol), codec = msgpack } = this.options;
    const room = [...this.rooms.keys()].at(-1) ?? this.options.room;
    this.address = hinted(this.url, room);
    const connection: Connection = new Connection(this.environment, open, this.address, codec, {
      opened: () => this.hello(connection, 0),
      news: (message) => this.news(message),
      ended: (code, opened) => this.lost(connection, code, opened),
    });
    this.dialled = connection;
  }

  private hello(connection: Connection, attempt: number): void {
    const { name } = this;
    const { agent = null, bot = false, recovery = null, token: fresh } = this.options;
    const token = typeof fresh === "function" ? fresh() : this.token;
    const known = token === null ? { token, recovery } : { token };
    connection.ask({ type: "hello", name, agent, ...(bot && { bot }), ...known }, (answer) => {
      if (answer.type === "ok") this.begin(connection, answer.welcome!);
      else if (PASSING.has(answer.code))
        this.pauses.later(answer, attempt, (next) => this.hello(connection, next));
      else if (answer.field === "name" && this.welcome) this.rejectName(connection, new Refused(answer));
      else this.stop(new Refused(answer));
    });
  }

  private rejectName(connection: Connection, error: Refused): void {
    this.name = null;
    this.renaming?.reject(error);
    this.renaming = null;
    this.hello(connection, 0);
  }

  private begin(connection: Connection, welcome: Welcome): void {
    connection.patience = 2000 * (welcome.limits.ping_seconds || PING_SECONDS);
    this.connection = connection;
    this.attempt = 0;
    this.name = null;
    this.storeAway = false;
    this.storeTrouble = null;
    this.meet(welcome);
    this.renaming?.resolve();
    this.renaming = null;
    for (const room of this.rooms.values()) this.follow(room);
    this.pending.use(connection);
    this.time.use(connection);
    this.become({ kind: "online" });
    for (const greeted of this.greeted) greeted();
  }

  /** The user has another name and token, on the same connection. */
  protected renamed({ name, token }: Pick<AccountState, "name" | "token">): void {
    this.meet({ ...this.welcome!, name, token });
    this.become(this.status);
  }

  private meet(welcome: Welcome): void {
    this.welcome = welcome;
    this.token = welcome.token;
    this.options.welcomed?.(welcome);
  }

  private lost(connection: Connection, code: number, opened: boolean): void {
    if (this.dialled !== connection) return;
    this.dialled = this.connection = null;
    this.time.use(null);
    this.pending.use(null);
    this.pauses.end();
    if (this.status.kind === "stopped") return;
    const delay = reconnectDelay(this.attempt++, code, this.environment.random());
    if (delay === null) return this.stop(new Stopped(`the server closed with ${code}`, code));
    const url = this.urls.shift()!;
    this.urls.push(url); // any node will do
    this.wait(delay, code, undefined, !opened);
    if (!opened) void this.understand(url, this.status);
  }

  /** Find out why a node accepts no connection, while the session waits for its next try. */
  private async understand(url: string, waiting: Status): Promise<void> {
    const refusal = await (this.options.explain ?? explainBy(this.environment))(url);
    if (refusal?.final && this.urls.length === 1 && this.status.kind !== "stopped")
      return this.stop(new Stopped(refusal.text));
    if (this.status !== waiting || waiting.kind !== "waiting") return;
    const wait = refusal && this.urls.length === 1 ? refusal.wait * (1 + this.environment.random() / 2) : 0;
    this.wait(Math.max(wait, waiting.until - this.environment.now(), 0), waiting.code, refusal?.text);
  }

  /** Connect after `delay` ms; if `asking`, wait to know why the last try failed. */
  private wait(delay: number, code: number, text?: string, asking = false): void {
    this.cancelTry();
    if (!asking) this.cancelTry = this.environment.after(delay, () => this.connect());
    this.become({ kind: "waiting", until: this.environment.now() + delay, code, ...(text && { text }) });
  }

  private stop(error: Refused | Stopped): void {
    if (this.status.kind === "stopped") return;
    this.cancelTry();
    this.pauses.end();
    this.become({ kind: "stopped", error });
    this.pending.reject(error);
    this.renaming?.reject(error);
    for (const room of this.rooms.values()) room.end(error);
    this.dialled?.close();
  }

  private become(status: Status): void {
    this.status = status;
    for (const listener of this.listeners) listener();
  }

  // --- rooms ---

  private follow(room: FollowedRoom, attempt = 0, goto = this.movable(room)): void {
    if (this.rooms.get(room.id) !== room) return; // left while this waited
    const join = { type: "join", room: room.id, ...room.joining(), ...(goto && { goto }) } as const;
    this.connection?.ask(join, (answer) => {
      if (this.rooms.get(room.id) !== room) return;
      if (answer.type === "ok") room.joined(answer);
      else if (answer.code === "goto" && this.movable(room)) this.move();
      else if (answer.code === "goto") this.follow(room, attempt, false);
      else if (PASSING.has(answer.code)) {
        this.pauses.later(answer, attempt, (next) => this.follow(room, next));
      } else if (room.state && room.wanted) room.refused(new Refused(answer)); // it is still followed
      else this.drop(room, new Refused(answer));
    });
  }

  /** Whether this room is all that the session does, and another process may serve it better (SPEC 1.16). */
  private movable(room: FollowedRoom): boolean {
    if (!this.connection || !this.welcome!.features.includes("goto")) return false;
    const busy = this.rooms.size > 1 || !!room.state || !this.connection.idle || !this.pending.idle;
    return !busy && this.address !== hinted(this.url, room.id);
  }

  /** Connect again at once, by the room's hint. The status does not change. */
  private move(): void {
    const left = this.dialled!;
    this.dialled = this.connection = null;
    this.time.use(null);
    this.pending.use(null);
    left.close();
    this.dial();
  }

  private drop(room: FollowedRoom, error: Error): void {
    this.leave(room);
    room.end(error);
  }

  private news(message: ServerPush | RoomMessage): void {
    switch (message.type) {
      case "snapshot":
      case "event":
      case "presence":
      case "chat":
        return this.told(message);
      case "notice":
        this.notice(message.kind, message.room ?? null, message.text ?? null);
    }
    for (const hearer of this.hearers) hearer(message);
  }

  private told(message: RoomMessage): void {
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

  private notice(kind: string, id: string | null, said: string | null): void {
    const room = id === null ? undefined : this.rooms.get(id);
    if (kind === "room_gone" && room) {
      const code = said === null ? "unknown_room" : "damaged"; // which alone tells why (SPEC 1.5)
      const text = said ?? "the room does not exist any more";
      this.drop(room, new Refused({ type: "error", id: null, code, text }));
    } else if (kind === "store_away" || kind === "store_back") {
      this.storeAway = kind === "store_away";
      this.storeTrouble = this.storeAway ? said : null;
      this.become(this.status);
      if (!this.storeAway) this.pauses.hurry();
    }
  }
}
