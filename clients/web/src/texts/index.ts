/** The catalogue in the language that is chosen; English is always there, the others are loaded. */

import { effect, signal } from "@preact/signals";
import { language, type Language } from "../settings";
import { en, type Texts } from "./en";

const LOADERS: Record<Language, () => Promise<Texts>> = {
  en: () => Promise.resolve(en),
  es: () => import("./es").then((module) => module.es),
  ko: () => import("./ko").then((module) => module.ko),
};

export const texts = signal<Texts>(en);

/** Resolves when the texts of the first language are there, or cannot be loaded. A page that is drawn before
 * would be in English, and jump. */
export const spoken = new Promise<void>((ready) => {
  effect(() => {
    const wanted = language.value;
    void LOADERS[wanted]()
      .then((found) => {
        if (language.value !== wanted) return;
        texts.value = found;
        document.documentElement.lang = wanted;
      })
      .then(ready, ready);
  });
});

export { fill, fillPoints } from "./fill";
export type { Texts };
