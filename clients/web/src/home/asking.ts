/** Whom one is about to challenge: the name in the form, also if one comes to it from elsewhere. */

import { signal } from "@preact/signals";

export const asking = signal("");
