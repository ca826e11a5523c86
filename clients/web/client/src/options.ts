/** A client's options, and the state of its connection. */

import type { Codec } from "./codec.js";
import type { OpenSocket } from "./connection.js";
import type { Environment } from "./environment.js";
import type { Refused, Stopped } from "./errors.js";
import type { Explain } from "./refusal.js";
import type { Welcome } from "./messages.js";

/** The state of the connection. `waiting`: the connection ended with `code`, and the next try comes at
 * `until` (ms since 1970); `text` is what the server says if it refuses connections now. */
export type Status =
  | { kind: "connecting" }
  | { kind: "online" }
  | { kind: "waiting"; until: number; code: number; text?: string }
  | { kind: "stopped"; error: Refused | Stopped };

export interface ClientOptions {
  /** Addresses of one server's nodes, as in `wss://example.org/ws`. Each try takes the next. */
  urls: string[];
  /** The room that you will join first, if you know it: a server of several processes then connects you to
   * the process where the room's others are (SPEC 1.15). */
  room?: string | null;
  /** The token of an earlier `welcome`, which says who you are; null: a new guest. With an identity provider:
   * its token, or a function that returns a fresh token for each connection (SPEC 24.6). */
  token?: string | null | (() => string);
  name?: string | null;
  /** The recovery code of the account `name` (SPEC 24.2), if you have no token. */
  recovery?: string | null;
  agent?: string;
  /** Whether a program chooses the actions, and no human (SPEC 1.3). */
  bot?: boolean;
  /** The wire format; the default is msgpack. */
  codec?: Codec;
  /** How to make WebSockets; the default is the platform's own `WebSocket`. */
  open?: OpenSocket;
  /** How to find out why a connection failed; the default asks by HTTP. */
  explain?: Explain;
  /** Time, chance and HTTP; what is left out is the platform's. */
  environment?: Partial<Environment>;
  /** Called with each welcome. Keep its token, and keep it secret. */
  welcomed?: (welcome: Welcome) => void;
}
