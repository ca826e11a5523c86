/** The lessons and the rules, which are loaded when you first open one. */

import { lazily } from "../Lazy";

export const Learning = lazily(() => import("./screens"));
