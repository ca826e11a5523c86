/** Where to connect, so that those who share a room meet. */

import { crc32 } from "./crc32.js";

/** An address with a hint of the room that is to be joined (SPEC 1.15). */
export function hinted(url: string, room?: string | null): string {
  return room ? `${url}${url.includes("?") ? "&" : "?"}bucket=${crc32(room) % 64}` : url;
}
