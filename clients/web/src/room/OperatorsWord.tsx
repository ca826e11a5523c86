/** Why the operators have ended a room, or taken its result back, in their words. */

import type { RoomState } from "@pierule/client";
import { useEffect, useState } from "preact/hooks";
import { client } from "../server";
import { texts } from "../texts";
import { wordOf } from "./record";

/** How many of the log's latest entries to read: the operators' words are among them. */
const READ = 20;

export function OperatorsWord({ state }: { state: RoomState }) {
  const [word, setWord] = useState("");
  const { room, seq, result } = state;
  const ended = result?.reason === "closed" || result?.reason === "voided";
  useEffect(() => {
    if (!ended) return;
    client.log(room, Math.max(1, seq - READ)).then(
      (log) => setWord(wordOf(log)),
      () => {}, // the store has no log any more; the result says enough
    );
  }, [ended, room, seq]);
  return word ? <p class="note">{texts.value.result.word(word)}</p> : null;
}
