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
import { Refused, Stopped } from "./errors.js";
import type { Channel } from "./chat.js";
import { Connection, type Ask, type ServerPush, type RoomMessage } from "./connection.js";
import { platform, type Environment } from "./environment.js";
import { FollowedRooms } from "./followedRooms.js";
import { hinted } from "./hint.js";
import type { AccountState, Ok, Welcome } from "./messages.js";
import type { ClientOptions, Status } from "./options.js";
import { Pauses } from "./pauses.js";
import { PendingRequests } from "./pendingRequests.js";
import { explainBy } from "./refusal.js";
import type { Room, Seat } from "./room.js";
import { Timekeeper } from "./timekeeper.js";

/** The assumed seconds between pings, if the server sends none (SPEC 1.4). */
const PING_SECONDS = 20;

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
  private readonly listeners = new Set<() => void>();
  private readonly hearers = new Set<(news: ServerPush) => void>();
  private readonly greeted = new Set<() => void>();
  private readonly pauses: Pauses;
  private readonly pending: PendingRequests;
  private readonly rooms: FollowedRooms;
  private readonly time: Timekeeper;
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
    this.rooms = new FollowedRooms(this.environment, this.pauses, {
      request: (request) => this.request(request),
      movable: (room) => this.movable(room),
      move: () => this.move(),
    });
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
    return this.rooms.join(id, seat, invitation);
  }

  /** Stop following a room. */
  leave(room: Room): void {
    this.rooms.leave(room);
  }

  /** Send a request about a turn of a followed room. */
  protected aimed(room: Room, request: Ask): Promise<Ok> {
    return this.rooms.aimed(room, request);
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
  reread(room: Room, channel: Channel, first: number): Promise<void> {
    return this.rooms.reread(room, channel, first);
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
    const room = this.rooms.latest ?? this.options.room;
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
    this.attempt = 0;
    this.name = null;
    this.storeAway = false;
    this.storeTrouble = null;
    this.meet(welcome);
    this.renaming?.resolve();
    this.renaming = null;
    this.use(connection);
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
    this.dialled = null;
    this.use(null);
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
    this.rooms.end(error);
    this.dialled?.close();
  }

  private become(status: Status): void {
    this.status = status;
    for (const listener of this.listeners) listener();
  }

  /** Use this connection for everything from now on; or (null) use none. */
  private use(connection: Connection | null): void {
    this.connection = connection;
    this.rooms.use(connection);
    this.pending.use(connection);
    this.time.use(connection);
  }

  private movable(room: string): boolean {
    if (!this.welcome?.features.includes("goto") || !this.connection?.idle || !this.pending.idle)
      return false;
    return this.address !== hinted(this.url, room);
  }

  /** Connect again at once, by the room's hint. The status does not change. */
  private move(): void {
    const left = this.dialled!;
    this.dialled = null;
    this.use(null);
    left.close();
    this.dial();
  }

  private news(message: ServerPush | RoomMessage): void {
    switch (message.type) {
      case "snapshot":
      case "event":
      case "presence":
      case "chat":
        return this.rooms.told(message);
      case "notice":
        this.notice(message.kind, message.room ?? null, message.text ?? null);
    }
    for (const hearer of this.hearers) hearer(message);
  }

  private notice(kind: string, id: string | null, said: string | null): void {
    if (kind === "room_gone" && id !== null) this.rooms.gone(id, said);
    else if (kind === "store_away" || kind === "store_back") {
      this.storeAway = kind === "store_away";
      this.storeTrouble = this.storeAway ? said : null;
      this.become(this.status);
      if (!this.storeAway) this.pauses.hurry();
    }
  }
}
