/** Whether the page can be seen: its tab is in front. */

import { signal } from "@preact/signals";

export const visible = signal(!document.hidden);
document.addEventListener("visibilitychange", () => (visible.value = !document.hidden));
