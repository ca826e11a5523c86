/** A record as text: its file, and a button that copies it. */

import { Refused, type RoomRecord } from "@pierule/client";
import { useState } from "preact/hooks";
import { announce } from "../announce";
import { refusalText } from "../refusals";
import { texts } from "../texts";
import { Refusal } from "./Refusal";

export const recordName = (room: string): string => `pierule-${room}.json`;
export const recordText = (record: RoomRecord): string => `${JSON.stringify(record)}\n`;

/** Copies a record. A page that may not copy has no clipboard, and so no button. */
export function CopyRecord({ record }: { record: () => Promise<RoomRecord> }) {
  const { replay, room } = texts.value;
  const [said, setSaid] = useState("");
  const [refused, setRefused] = useState<Refused | null>(null);
  if (!("clipboard" in navigator)) return null;
  const write = async (whole: RoomRecord) => {
    const copied = await navigator.clipboard.writeText(recordText(whole)).then(
      () => room.copied,
      () => replay.uncopied,
    );
    setSaid(copied);
    announce(copied);
  };
  const copy = () => {
    setRefused(null);
    return record().then(write, (error) => setRefused(error instanceof Refused ? error : null));
  };
  return (
    <>
      <button onClick={() => void copy()}>{said || replay.copy}</button>
      {refused && <Refusal text={refusalText(refused)} />}
    </>
  );
}
