/** What the operators say of a room that they have ended, or whose result they have taken back. */

import type { RoomState } from "@pierule/client";
import { useEffect, useState } from "preact/hooks";
import { client } from "../server";
import { texts } from "../texts";
import { wordOf } from "./record";

/** So many of the latest entries of the log are read: their word is among them. */
const READ = 20;

export function OperatorsWord({ state }: { state: RoomState }) {
  const [word, setWord] = useState("");
  const { room, seq, result } = state;
  const ended = result?.reason === "closed" || result?.reason === "voided";
  useEffect(() => {
    if (!ended) return;
    client.log(room, Math.max(1, seq - READ)).then(
      (log) => setWord(wordOf(log)),
      () => {}, // put away by now: the result stays
    );
  }, [ended, room, seq]);
  return word ? <p class="note">{texts.value.result.word(word)}</p> : null;
}
