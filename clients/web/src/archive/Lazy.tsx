/** The archive's screens, which are loaded when you first come to one. */

import { lazily } from "../Lazy";

export const Lazy = lazily(() => import("./screens"));
