/** The record that is open, and how to open one. */

import type { RoomRecord } from "@pierule/client";
import { signal } from "@preact/signals";
import { readAnalysis } from "../analysis/file";
import { receive } from "../analysis/kept";
import { readRecord } from "../room/record";
import { go } from "../route";

/** null: no file yet; `bad`: a file that is no record. */
export const opened = signal<RoomRecord | "bad" | null>(null);

/** The most bytes of a file. Records of the longest games are far below a million. */
const MOST = 5_000_000;

/** Read a file, and show it: a record, or an analysis. */
export async function openRecord(file: File | undefined): Promise<void> {
  if (!file) return;
  // A folder that was dropped looks like a file that cannot be read.
  const text = file.size <= MOST ? await file.text().catch(() => "") : "";
  const analysis = readAnalysis(text);
  if (analysis) return receive("file", text, analysis);
  opened.value = readRecord(text) ?? "bad";
  go("#/replay");
}

addEventListener("dragover", (event) => event.preventDefault());
addEventListener("drop", (event) => {
  event.preventDefault();
  void openRecord(event.dataTransfer?.files[0]);
});
