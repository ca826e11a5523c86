/** Why the server has ended a room, or taken its result back. */

import type { LogEntry, RoomState } from "@pierule/client";
import { useEffect, useState } from "preact/hooks";
import { client } from "../server";
import { whyClosed } from "./result";

/** How many of the log's latest entries to read: what ended the room is among them. */
const READ = 20;

export function WhyClosed({ state }: { state: RoomState }) {
  const [log, setLog] = useState<readonly LogEntry[]>([]);
  const { room, seq, result } = state;
  const ended = result?.reason === "closed" || result?.reason === "voided";
  useEffect(() => {
    if (!ended) return;
    client.log(room, Math.max(1, seq - READ)).then(
      setLog,
      () => {}, // the store has no log any more; the result says enough
    );
  }, [ended, room, seq]);
  const why = whyClosed(log);
  return why ? <p class="note">{why}</p> : null;
}
