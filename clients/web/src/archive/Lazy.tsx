/** A part of the archive's screens, which are loaded when somebody comes to them. */

import { lazily } from "../Lazy";

export const Lazy = lazily(() => import("./screens"));
