/** What is said aloud to those who listen: one place, read by screen readers. */

import { signal } from "@preact/signals";

const said = signal("");

export function announce(text: string): void {
  // The same words again are news, too: without a difference nobody would hear them.
  said.value = said.value === text ? `${text}\u00a0` : text;
}

export function Announcer() {
  return (
    <div class="aloud" role="status" aria-live="polite">
      {said}
    </div>
  );
}
