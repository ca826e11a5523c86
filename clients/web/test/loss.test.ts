/** When the loss of a connection is said aloud. */

import type { Status } from "@pierule/client";
import { effect, signal } from "@preact/signals";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { lossOf } from "../src/loss";

const ONLINE: Status = { kind: "online" };
const TRYING: Status = { kind: "connecting" };
const waiting = (text?: string): Status => ({ kind: "waiting", until: 0, code: 1006, ...(text && { text }) });

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A connection, and all that has been said of its loss. */
function begin() {
  const status = signal<Status>(TRYING);
  const heard: (string | null)[] = [];
  const loss = lossOf(status, ({ text }) => text ?? "");
  effect(() => void heard.push(loss.value));
  const go = (to: Status, ms = 0) => {
    status.value = to;
    vi.advanceTimersByTime(ms);
  };
  return { go, heard };
}

test("a loss is said once, however often the client tries again", () => {
  const { go, heard } = begin();
  go(ONLINE);
  for (let tries = 0; tries < 20; tries++) {
    go(waiting(), 500);
    go(TRYING, 100);
  }
  go(ONLINE);
  expect(heard).toEqual([null, "", null]);
});

test("a loss that is soon over is not said", () => {
  const { go, heard } = begin();
  go(ONLINE);
  for (let times = 0; times < 5; times++) {
    go(waiting(), 500);
    go(TRYING, 500);
    go(ONLINE, 500);
  }
  go(TRYING, 100); // the client connects anew on purpose
  go(ONLINE, 5_000);
  expect(heard).toEqual([null]);
});

test("words of the server are said as soon as they come, and once", () => {
  const { go, heard } = begin();
  go(ONLINE);
  go(waiting(), 1_000);
  go(TRYING, 2_000);
  for (let tries = 0; tries < 5; tries++) {
    go(waiting("You have too many."), 2_000);
    go(TRYING, 100);
    go(waiting(), 2_000);
  }
  go({ kind: "stopped", error: new Error() as never });
  expect(heard).toEqual([null, "", "You have too many.", null]);
});

test("the first connection may take its time, but not its failure", () => {
  const { go, heard } = begin();
  go(TRYING, 60_000);
  expect(heard).toEqual([null]);
  go(waiting(), 100);
  go(TRYING, 60_000);
  expect(heard).toEqual([null, ""]);
});
