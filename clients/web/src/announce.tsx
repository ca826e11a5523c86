/** What the page says aloud: one place, which screen readers read. */

import { signal } from "@preact/signals";

/** For how long what was said stays to be read again, in ms. After that, it is no longer so. */
const STAYS = 30_000;

const said = signal("");
let timer: ReturnType<typeof setTimeout>;

export function announce(text: string): void {
  // The same words again are news, too, but screen readers read only what has changed.
  said.value = said.value === text ? `${text}\u00a0` : text;
  clearTimeout(timer);
  timer = setTimeout(() => (said.value = ""), STAYS);
}

export function Announcer() {
  return (
    <div class="aloud" role="status" aria-live="polite">
      {said}
    </div>
  );
}
