/** When the loss of a connection is worth saying aloud. */

import type { Status } from "@pierule/client";
import { effect, signal, type ReadonlySignal } from "@preact/signals";

/** For how long a connection is away before the page says so, in ms: many are back sooner, such as after a
 * change of name. */
const SHORT = 2_000;

/** Why there has been no connection for a while, in the last words that said why, or "" if nothing said so;
 * null: there is one, or its loss is still too short. It stays the same while the client tries again and
 * again. `wordsOf` has the words of a try that failed. */
export function lossOf(
  status: ReadonlySignal<Status>,
  wordsOf: (failed: Status & { kind: "waiting" }) => string,
): ReadonlySignal<string | null> {
  const loss = signal<string | null>(null);
  let words = "";
  let timer: ReturnType<typeof setTimeout> | undefined;
  let begun = false;
  effect(() => {
    const now = status.value;
    begun ||= now.kind !== "connecting";
    if (now.kind === "waiting") words = wordsOf(now) || words;
    if (now.kind === "waiting" || (now.kind === "connecting" && begun)) {
      timer ??= setTimeout(() => (loss.value = words), SHORT);
      if (loss.peek() !== null) loss.value = words;
    } else {
      clearTimeout(timer);
      timer = undefined;
      loss.value = null;
      words = "";
    }
  });
  return loss;
}
