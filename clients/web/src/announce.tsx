/** What the page says aloud: one place, which screen readers read. */

import { signal } from "@preact/signals";

const said = signal("");

export function announce(text: string): void {
  // The same words again are news, too, but screen readers read only what has changed.
  said.value = said.value === text ? `${text}\u00a0` : text;
}

export function Announcer() {
  return (
    <div class="aloud" role="status" aria-live="polite">
      {said}
    </div>
  );
}
