/** A record as text: its file, and a button that copies it. */

import type { RoomRecord } from "@pierule/client";
import { useState } from "preact/hooks";
import { announce } from "../announce";
import { texts } from "../texts";

export const recordName = (room: string): string => `pierule-${room}.json`;
export const recordText = (record: RoomRecord): string => `${JSON.stringify(record)}\n`;

/** Where the page may not copy, there is no clipboard, and no button. */
export function CopyRecord({ record }: { record: () => Promise<RoomRecord> }) {
  const { replay, room } = texts.value;
  const [said, setSaid] = useState("");
  if (!("clipboard" in navigator)) return null;
  const copy = async () => {
    const copied = await record()
      .then((whole) => navigator.clipboard.writeText(recordText(whole)))
      .then(
        () => room.copied,
        () => replay.uncopied,
      );
    setSaid(copied);
    announce(copied);
  };
  return <button onClick={() => void copy()}>{said || replay.copy}</button>;
}
