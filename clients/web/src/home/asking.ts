/** The name in the challenge form. Other screens can fill it in. */

import { signal } from "@preact/signals";

export const asking = signal("");
/** How often a name was filled in elsewhere. */
export const filled = signal(0);

/** Fill a name in; a link leads to the form. */
export function fillIn(name: string): void {
  asking.value = name;
  filled.value++;
}
