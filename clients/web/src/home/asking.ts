/** The name in the challenge form. Other screens can fill it in. */

import { signal } from "@preact/signals";

export const asking = signal("");
