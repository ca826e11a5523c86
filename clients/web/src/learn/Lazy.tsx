/** What is loaded when somebody wants to learn a game. */

import { lazily } from "../Lazy";

export const Learning = lazily(() => import("./screens"));
