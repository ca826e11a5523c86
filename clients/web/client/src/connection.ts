/** One connection: frames in and out, the requests that wait on it, and whether it is still alive. */

import type { Codec } from "./codec.js";
import type { Environment } from "./environment.js";
import type {
  Chat,
  ClientMessage,
  Error as ErrorMessage,
  Event,
  Ok,
  Presence,
  ServerMessage,
  Snapshot,
} from "./messages.js";

/** The part of the standard `WebSocket` that this library uses. */
export interface Socket {
  binaryType: string;
  readonly protocol: string;
  onopen: ((event: any) => void) | null;
  onmessage: ((event: any) => void) | null;
  onclose: ((event: any) => void) | null;
  onerror: ((event: any) => void) | null;
  send(data: string | Uint8Array<ArrayBuffer>): void;
  close(code?: number): void;
}

/** How to make a WebSocket: `(url, subprotocol) => new WebSocket(url, subprotocol)`. */
export type OpenSocket = (url: string, subprotocol: string) => Socket;

/** A request before it has an id. */
export type Ask = { [T in ClientMessage as T["type"]]: Omit<T, "id"> }[ClientMessage["type"]];

type Answer = Ok | ErrorMessage;

/** Messages about a room that you follow. */
export type RoomMessage = Snapshot | Event | Presence | Chat;

/** Messages that come unasked and belong to no room that you follow: about the lobby, about new games, and
 * about the server itself. */
export type ServerPush = Exclude<ServerMessage, Answer | RoomMessage>;

interface Waiting {
  answered: (answer: Answer) => void;
  /** Stop waiting for the answer. */
  cancel: () => void;
}

/** What a connection tells: that it is open, which messages come unasked, and, once, how it ended. */
export interface ConnectionHandlers {
  opened(): void;
  news(message: ServerPush | RoomMessage): void;
  /** `opened` says whether it was ever open. */
  ended(code: number, opened: boolean): void;
}

/** The bound of the handshake, and the least bound of an answer to anything but a ping, in ms. */
const LEAST = 10_000;
const LOST = 1006;

export class Connection {
  /** How long the server may be silent, and how long the answer to a ping may take, in ms (SPEC 14). */
  patience = LEAST;
  private readonly socket: Socket;
  private readonly waiting = new Map<number, Waiting>();
  /** Stop the timer of the silence. */
  private cancel: () => void;
  private lastId = 0;
  private over = false;
  private open = false;

  constructor(
    private readonly environment: Environment,
    open: OpenSocket,
    url: string,
    private readonly codec: Codec,
    private readonly handlers: ConnectionHandlers,
  ) {
    const socket = (this.socket = open(url, codec.subprotocol));
    socket.binaryType = "arraybuffer";
    socket.onopen = () => {
      if (socket.protocol !== codec.subprotocol) this.end(1002, 1000); // SPEC 1.7
      else if (!this.over) {
        this.open = true;
        handlers.opened();
      }
    };
    socket.onmessage = ({ data }: { data: unknown }) => this.read(data);
    socket.onclose = ({ code }: { code: number }) => this.end(code);
    socket.onerror = () => {}; // its close event follows
    this.cancel = environment.after(LEAST, () => this.end(LOST, 1000));
  }

  /** Whether no request waits for its answer. */
  get idle(): boolean {
    return this.waiting.size === 0;
  }

  /** Send a request; `answered` is called once with its answer, unless the connection ends before. */
  ask(request: Ask, answered: (answer: Answer) => void): void {
    const id = (this.lastId = (this.lastId + 1) % 2 ** 32);
    const bound = request.type === "ping" ? this.patience : Math.max(LEAST, this.patience);
    const cancel = this.environment.after(bound, () => this.end(LOST, 1000));
    this.waiting.set(id, { answered, cancel });
    this.socket.send(this.codec.encode({ ...request, id } as ClientMessage));
  }

  /** Close it with 1000, which tells the server that it was on purpose. */
  close(): void {
    this.end(1000, 1000);
  }

  /** Give it up, because it seems to be dead. */
  drop(): void {
    this.end(LOST, 1000);
  }

  private read(frame: unknown): void {
    if (this.over) return;
    this.take(frame);
    this.heard();
  }

  private take(frame: unknown): void {
    let message: ServerMessage | null;
    try {
      message = this.codec.decode(frame);
    } catch (error) {
      console.warn("cannot read a message of the server:", error);
      return; // if it was an answer, its request will time out
    }
    if (message === null) return;
    if (message.type === "ok" || message.type === "error") this.answer(message);
    else this.handlers.news(message);
  }

  private answer(answer: Answer): void {
    const waiting = answer.id === null ? undefined : this.waiting.get(answer.id);
    if (!waiting) return;
    this.waiting.delete(answer.id!);
    waiting.cancel();
    waiting.answered(answer);
  }

  /** After a long silence, send a ping (SPEC 1.4). */
  private heard(): void {
    this.cancel();
    if (this.over) return;
    this.cancel = this.environment.after(this.patience, () => this.ask({ type: "ping" }, () => {}));
  }

  private end(code: number, closeWith?: number): void {
    if (this.over) return;
    this.over = true;
    this.cancel();
    for (const { cancel } of this.waiting.values()) cancel();
    this.waiting.clear();
    if (closeWith) this.socket.close(closeWith);
    this.handlers.ended(code, this.open);
  }
}
