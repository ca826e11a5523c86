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
  let before = false;
  effect(() => {
    const now = status.value;
    if (now.kind === "online" || now.kind === "stopped") {
      clearTimeout(timer);
      timer = undefined;
      words = "";
      loss.value = null;
      before = true;
      return;
    }
    if (now.kind === "waiting") words = wordsOf(now) || words;
    else if (!before) return; // the page has only begun
    before = true;
    timer ??= setTimeout(() => (loss.value = words), SHORT);
    if (loss.peek() !== null) loss.value = words;
  });
  return loss;
}
