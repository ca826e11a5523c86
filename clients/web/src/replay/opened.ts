/** The record that is open, and how one is opened. */

import type { RoomRecord } from "@pierule/client";
import { signal } from "@preact/signals";
import { readRecord } from "../room/record";
import { go } from "../route";

/** null: no file yet; `bad`: one that is no record. */
export const opened = signal<RoomRecord | "bad" | null>(null);

const MOST = 5_000_000; // bytes; records of the longest games are far under one

/** Read a file, and show it. */
export async function openRecord(file: File | undefined): Promise<void> {
  if (!file) return;
  opened.value = (file.size <= MOST && readRecord(await file.text())) || "bad";
  go("#/replay");
}

addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  void openRecord(event.dataTransfer?.files[0]);
});
