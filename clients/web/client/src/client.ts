/**
 * A client of Pierule: requests and rooms that outlive connections.
 *
 * When a connection ends another one is made, the rooms are joined again from where they stand, and
 * whatever waits for an answer is sent again as it was: the same turn, the same nonce, so that
 * nothing happens twice (SPEC 2.3, 6.8).
 */

import { reconnectDelay, retryDelay } from "./backoff.js";
import { ServerClock } from "./clocks.js";
import { msgpack, type Codec } from "./codec.js";
import { PASSING } from "./codes.js";
import { Desync, Refused, Stopped } from "./errors.js";
import { Line, type Ask, type OpenSocket } from "./line.js";
import type {
  Error as ErrorMessage,
  Event,
  Ok,
  Presence,
  ServerMessage,
  Snapshot,
  Welcome,
} from "./messages.js";
import { newNonce } from "./nonce.js";
import { Room, type Seat } from "./room.js";

/** How it stands with the server: `waiting` is for the next try, `until` by `Date.now()`. */
export type Status =
  | { kind: "connecting" }
  | { kind: "online" }
  | { kind: "waiting"; until: number }
  | { kind: "stopped"; error: Refused | Stopped };

export interface ClientOptions {
  /** Addresses of one server's nodes, as in `wss://example.org/ws`. Each try takes the next. */
  urls: string[];
  /** Who one is, as an earlier `welcome` said; null: a new guest. Where an identity provider says
   * who one is: its token, or what gives a fresh one for each connection (SPEC 24.6). */
  token?: string | null | (() => string);
  name?: string | null;
  agent?: string;
  codec?: Codec;
  open?: OpenSocket;
  /** Called with each welcome: its token is to be kept, and kept secret. */
  welcomed?: (welcome: Welcome) => void;
}

interface Wish {
  request: Ask;
  attempt: number;
  resolve: (ok: Ok) => void;
  reject: (error: Error) => void;
}

/** The wait of a request that was refused for now; `again` is told the number of the attempt. */
interface Pause {
  code: string;
  again: (attempt: number) => void;
  timer: ReturnType<typeof setTimeout> | undefined;
}

/** How long after a `stale` an event may take to come, in ms (SPEC 14). */
const STALE = 5_000;

const PINGS = 5;
const PING_GAP = 200;
const PING_REST = 60_000;

export class Client {
  status: Status = { kind: "connecting" };
  /** Whether the server said that it cannot reach its store (SPEC 1.5). */
  storeAway = false;
  welcome: Welcome | null = null;
  readonly rooms = new Map<string, Room>();

  private readonly options: ClientOptions;
  private readonly urls: string[];
  private readonly listeners = new Set<() => void>();
  private readonly wishes = new Set<Wish>();
  private readonly pauses = new Set<Pause>();
  private readonly clock = new ServerClock();
  private dialled: Line | null = null;
  private line: Line | null = null; // the same, once it was welcomed: nothing is asked before
  private token: string | null;
  private name: string | null; // what to be called from the next hello on
  private attempt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private pinging: ReturnType<typeof setTimeout> | undefined;
  private timed = false;
  private renaming: { resolve: () => void; reject: (error: Error) => void } | null = null;

  constructor(options: ClientOptions) {
    this.options = options;
    this.urls = [...options.urls];
    this.token = typeof options.token === "function" ? null : (options.token ?? null);
    this.name = options.name ?? null;
    this.connect();
  }

  // --- what one may ask for ---

  /** Hear whenever `status`, `welcome` or `storeAway` changes, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }

  /** Ask until there is an answer, over as many connections as it takes. Rejects with Refused or
   * Stopped. */
  request(request: Ask): Promise<Ok> {
    return new Promise((resolve, reject) => {
      if (this.status.kind === "stopped") return reject(this.status.error);
      const wish: Wish = { request, attempt: 0, resolve, reject };
      this.wishes.add(wish);
      this.attend(wish);
    });
  }

  /** Follow a room, and take a seat in it; a private one by its `invitation`. Its state comes when
   * it comes: listen to the room. */
  join(id: string, seat: Seat | "any" | null = null, invitation: string | null = null): Room {
    const wanted = seat === null ? null : { seat, nonce: newNonce() };
    let room = this.rooms.get(id);
    if (room && !wanted) return room;
    if (room) room.wanted = wanted;
    else this.rooms.set(id, (room = new Room(id, wanted, invitation)));
    this.follow(room);
    return room;
  }

  /** Follow a room no longer. */
  leave(room: Room): void {
    if (this.rooms.get(room.id) !== room) return;
    this.rooms.delete(room.id);
    this.line?.ask({ type: "leave", room: room.id }, () => {});
  }

  /** Play an action that was thought out for the present epoch's `turn`. Rejects with Refused or
   * Stopped. */
  async act(room: Room, turn: number, action: string): Promise<Ok> {
    try {
      const epoch = room.state?.epoch ?? null;
      const ok = await this.request({ type: "act", room: room.id, turn, action, epoch });
      room.knownTurn = Math.max(room.knownTurn, ok.turn ?? 0);
      return ok;
    } catch (error) {
      if (error instanceof Refused && error.code === "stale") this.expect(room, error.answer.turn ?? 0);
      throw error;
    }
  }

  /** The room is known to be at another turn: if nothing tells of it soon, catch up (SPEC 6.9). */
  private expect(room: Room, turn: number): void {
    room.knownTurn = Math.max(room.knownTurn, turn);
    setTimeout(() => {
      if (this.rooms.get(room.id) === room && (room.state?.turn ?? turn) < turn) this.follow(room);
    }, STALE);
  }

  /** The store's time in ms since 1970; this computer's until a ping was answered. */
  now(): number {
    this.keepTime();
    return this.clock.offset === null ? Date.now() : performance.now() + this.clock.offset;
  }

  /** Be called something else: that is said in a new hello, on a new connection. Rejects with
   * Refused if the server does not take the name. */
  rename(name: string): Promise<void> {
    this.name = name;
    return new Promise((resolve, reject) => {
      this.renaming = { resolve, reject };
      this.line?.drop();
    });
  }

  /** The network may be back: if a try is being waited for, make it soon. */
  hurry(): void {
    if (this.status.kind !== "waiting") return;
    this.attempt = 0;
    this.wait(retryDelay(0, Math.random()));
  }

  /** The network is gone, whatever the connection says. */
  suspect(): void {
    this.line?.drop();
  }

  /** End everything. What waits is rejected with Stopped. */
  close(): void {
    this.stop(new Stopped("this client was closed", 1000));
  }

  // --- connecting ---

  private connect(): void {
    this.become({ kind: "connecting" });
    const open = this.options.open ?? ((url, protocol) => new WebSocket(url, protocol));
    const codec = this.options.codec ?? msgpack;
    const line: Line = new Line(open, this.urls[0]!, codec, {
      opened: () => this.hello(line, 0),
      news: (message) => this.news(message),
      ended: (code) => this.lost(line, code),
    });
    this.dialled = line;
  }

  private hello(line: Line, attempt: number): void {
    const { name } = this;
    const fresh = this.options.token;
    const token = typeof fresh === "function" ? fresh() : this.token;
    line.ask({ type: "hello", token, name, agent: this.options.agent ?? null }, (answer) => {
      if (answer.type === "ok") this.welcomed(line, answer.welcome!);
      else if (PASSING.has(answer.code)) this.later(answer, attempt, (next) => this.hello(line, next));
      else if (answer.field === "name" && this.welcome) this.rejectName(line, new Refused(answer));
      else this.stop(new Refused(answer));
    });
  }

  private rejectName(line: Line, error: Refused): void {
    this.name = null;
    this.renaming?.reject(error);
    this.hello(line, 0);
  }

  private welcomed(line: Line, welcome: Welcome): void {
    line.patience = 2000 * welcome.limits.ping_seconds;
    this.line = line;
    this.attempt = 0;
    this.welcome = welcome;
    this.name = null;
    this.renaming?.resolve();
    this.token = welcome.token;
    this.storeAway = false;
    this.options.welcomed?.(welcome);
    for (const room of this.rooms.values()) this.follow(room);
    for (const wish of this.wishes) this.attend(wish);
    this.clock.restart();
    if (this.timed) this.ping(PINGS);
    this.become({ kind: "online" });
  }

  private lost(line: Line, code: number): void {
    if (this.dialled !== line) return;
    this.dialled = this.line = null;
    clearTimeout(this.pinging);
    this.endPauses();
    if (this.status.kind === "stopped") return;
    const delay = reconnectDelay(this.attempt++, code, Math.random());
    if (delay === null) return this.stop(new Stopped(`the server closed with ${code}`, code));
    this.urls.push(this.urls.shift()!); // any node will do
    this.wait(delay);
  }

  private wait(delay: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), delay);
    this.become({ kind: "waiting", until: Date.now() + delay });
  }

  private stop(error: Refused | Stopped): void {
    if (this.status.kind === "stopped") return;
    clearTimeout(this.timer);
    clearTimeout(this.pinging);
    this.endPauses();
    this.become({ kind: "stopped", error });
    for (const wish of this.wishes) wish.reject(error);
    this.wishes.clear();
    for (const room of this.rooms.values()) room.end(error);
    this.dialled?.close();
  }

  private become(status: Status): void {
    this.status = status;
    for (const listener of this.listeners) listener();
  }

  // --- requests ---

  private attend(wish: Wish): void {
    this.line?.ask(wish.request, (answer) => {
      if (answer.type === "error" && PASSING.has(answer.code)) {
        return this.later(answer, wish.attempt, (next) => {
          wish.attempt = next;
          this.attend(wish);
        });
      }
      this.wishes.delete(wish);
      if (answer.type === "ok") wish.resolve(answer);
      else wish.reject(new Refused(answer));
    });
  }

  /** Do something once a passing error may be over, if the connection still stands then. */
  private later(error: ErrorMessage, attempt: number, again: Pause["again"]) {
    const pause: Pause = { code: error.code, again, timer: undefined };
    this.pauses.add(pause);
    const delay = (error.retry_ms ?? 0) + retryDelay(attempt, Math.random());
    this.endLater(pause, delay, attempt + 1);
  }

  private endLater(pause: Pause, delay: number, attempt: number) {
    clearTimeout(pause.timer);
    pause.timer = setTimeout(() => {
      this.pauses.delete(pause);
      pause.again(attempt);
    }, delay);
  }

  /** The store is there again: what it was wanted for is asked soon, and by all at random. */
  private hurryPauses() {
    for (const pause of this.pauses)
      if (pause.code === "unavailable") this.endLater(pause, retryDelay(0, Math.random()), 0);
  }

  private endPauses() {
    for (const pause of this.pauses) clearTimeout(pause.timer);
    this.pauses.clear();
  }

  // --- rooms ---

  private follow(room: Room, attempt = 0): void {
    if (this.rooms.get(room.id) !== room) return; // left while this waited
    this.line?.ask({ type: "join", room: room.id, ...room.joining() }, (answer) => {
      if (this.rooms.get(room.id) !== room) return;
      if (answer.type === "ok") room.joined(answer);
      else if (PASSING.has(answer.code)) {
        this.later(answer, attempt, (next) => this.follow(room, next));
      } else if (room.state && room.wanted)
        room.refused(new Refused(answer)); // it is followed still
      else this.drop(room, new Refused(answer));
    });
  }

  private drop(room: Room, error: Error): void {
    this.leave(room);
    room.end(error);
  }

  private news(message: Exclude<ServerMessage, Ok | ErrorMessage>): void {
    switch (message.type) {
      case "notice":
        return this.notice(message.kind, message.room ?? null);
      case "snapshot":
      case "event":
      case "presence":
        return this.told(message);
    } // the page does not talk, and does not ask for what the lobby tells
  }

  private told(message: Snapshot | Event | Presence): void {
    const place = message.type === "snapshot" ? message.state : message;
    const room = this.rooms.get(place.room);
    if (!room) return; // left already
    if (message.type === "presence") return room.present(message);
    const verdict = message.type === "event" ? room.event(message) : room.snapshot(message.state);
    const { epoch, seq } = message.type === "event" ? message : message.state;
    if (verdict === "mismatch" || verdict === "desync") {
      const report = { room: room.id, epoch, seq, problem: verdict } as const;
      this.line?.ask({ type: "report", ...report }, () => {});
    }
    if (verdict === "mismatch" || verdict === "rejoin") this.follow(room);
    if (verdict === "desync") this.drop(room, new Desync(room.id));
  }

  private notice(kind: string, id: string | null): void {
    const room = id === null ? undefined : this.rooms.get(id);
    if (kind === "room_gone" && room) {
      const text = "the room does not exist any more";
      this.drop(room, new Refused({ type: "error", id: null, code: "unknown_room", text }));
    } else if (kind === "store_away" || kind === "store_back") {
      this.storeAway = kind === "store_away";
      this.become(this.status);
      if (!this.storeAway) this.hurryPauses();
    }
  }

  // --- the server's time ---

  private keepTime(): void {
    if (this.timed) return;
    this.timed = true;
    this.ping(PINGS);
  }

  private ping(left: number): void {
    clearTimeout(this.pinging);
    const sent = performance.now();
    this.line?.ask({ type: "ping" }, (answer) => {
      if (answer.type === "ok" && answer.now) this.clock.measured(sent, performance.now(), answer.now);
      const next = left > 1 ? left - 1 : PINGS;
      this.pinging = setTimeout(() => this.ping(next), left > 1 ? PING_GAP : PING_REST);
    });
  }
}
