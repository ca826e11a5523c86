/** Where to connect, so that users of the same room meet in one process. */

import { crc32 } from "./crc32.js";

/** An address with a hint of the room to join (SPEC 1.15). */
export function hinted(url: string, room?: string | null): string {
  return room ? `${url}${url.includes("?") ? "&" : "?"}bucket=${crc32(room) % 64}` : url;
}
