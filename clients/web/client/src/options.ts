/** How a client is made, and how it stands with its server. */

import type { Codec } from "./codec.js";
import type { OpenSocket } from "./connection.js";
import type { Environment } from "./environment.js";
import type { Refused, Stopped } from "./errors.js";
import type { Explain } from "./refusal.js";
import type { Welcome } from "./messages.js";

/** How it stands with the server: `waiting` is for the next try, `until` in ms since 1970, after the
 * connection ended with `code`; `text` is what a server said that refuses connections now. */
export type Status =
  | { kind: "connecting" }
  | { kind: "online" }
  | { kind: "waiting"; until: number; code: number; text?: string }
  | { kind: "stopped"; error: Refused | Stopped };

export interface ClientOptions {
  /** Addresses of one server's nodes, as in `wss://example.org/ws`. Each try takes the next. */
  urls: string[];
  /** The room that is to be joined first, if it is known: a server of several processes then
   * connects you where its others are (SPEC 1.15). */
  room?: string | null;
  /** Who you are, as an earlier `welcome` said; null: a new guest. Where an identity provider says
   * who you are: its token, or what gives a fresh one for each connection (SPEC 24.6). */
  token?: string | null | (() => string);
  name?: string | null;
  /** The recovery code of who is registered as `name` (SPEC 24.2); then there is no token yet. */
  recovery?: string | null;
  agent?: string;
  /** Whether a program chooses the actions, and no human (SPEC 1.3). */
  bot?: boolean;
  /** The wire format; the default is msgpack. */
  codec?: Codec;
  /** How WebSockets are made; the default is the platform's own `WebSocket`. */
  open?: OpenSocket;
  /** How to find out why a connection did not come about; the default asks by HTTP. */
  explain?: Explain;
  /** Time, chance and HTTP; what is left out is the platform's. */
  environment?: Partial<Environment>;
  /** Called with each welcome: its token is to be kept, and kept secret. */
  welcomed?: (welcome: Welcome) => void;
}
