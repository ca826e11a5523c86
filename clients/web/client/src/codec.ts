/** Bytes and messages, in both codecs (SPEC 1.8). */

import { Decoder, encode } from "@msgpack/msgpack";
import type { ClientMessage, ServerMessage } from "./messages.js";

/** One of the wire formats: its subprotocol, and both directions. */
export interface Codec {
  subprotocol: string;
  encode(message: ClientMessage): string | Uint8Array<ArrayBuffer>;
  /** The message in a frame; null if this version does not know its type (SPEC 15.3). */
  decode(frame: unknown): ServerMessage | null;
}

const KNOWN = new Set(
  "ok error snapshot event presence notice chat paired challenged lobby lobby_change".split(" "),
);

function known(value: unknown): ServerMessage | null {
  const type = (value as { type?: unknown } | null)?.type;
  return typeof type === "string" && KNOWN.has(type) ? (value as ServerMessage) : null;
}

export const json: Codec = {
  subprotocol: "pierule.1.json",
  encode: (message) => JSON.stringify(message),
  decode: (frame) => known(JSON.parse(frame as string)),
};

/** No message has `bin` or `ext`, not even an empty one (SPEC 1.14). */
const decoder = new Decoder({ maxBinLength: -1, maxExtLength: -1 });

export const msgpack: Codec = {
  subprotocol: "pierule.1.msgpack",
  encode: (message) => encode(message, { ignoreUndefined: true }),
  decode: (frame) => known(decoder.decode(new Uint8Array(frame as ArrayBuffer))),
};
