/** The texts in the chosen language. English is always there; other languages are loaded. */

import { effect, signal } from "@preact/signals";
import { language, type Language } from "../settings";
import { en, type Texts } from "./en";

const LOADERS: Record<Language, () => Promise<Texts>> = {
  en: () => Promise.resolve(en),
  es: () => import("./es").then((module) => module.es),
  ko: () => import("./ko").then((module) => module.ko),
};

export const texts = signal<Texts>(en);

/** Resolves when the texts of the first language are loaded, or cannot be. If the page were drawn before,
 * it would be in English, and jump. */
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
