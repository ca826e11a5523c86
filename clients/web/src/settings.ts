/** What a person has chosen about the page itself. */

import { effect, signal, type Signal } from "@preact/signals";
import { load, save } from "./storage";

export const LANGUAGES = { en: "English", es: "Español", ko: "한국어" } as const;
export type Language = keyof typeof LANGUAGES;
export const THEMES = ["auto", "light", "dark"] as const;
export type Theme = (typeof THEMES)[number];

function kept<T extends string>(key: string, allowed: readonly T[], otherwise: T): Signal<T> {
  const found = load(key) as T;
  const setting = signal(allowed.includes(found) ? found : otherwise);
  effect(() => save(key, setting.value));
  return setting;
}

const languages = Object.keys(LANGUAGES) as Language[];
const preferred = navigator.languages.map((tag) => tag.slice(0, 2) as Language);

export const language = kept("language", languages, preferred.find((tag) => languages.includes(tag)) ?? "en");
export const theme = kept("theme", THEMES, "auto");
/** Whether an action is sent at the last tap, or waits for its confirmation. */
export const confirming = kept("confirming", ["yes", "no"] as const, "yes");
export const sound = kept("sound", ["on", "off"] as const, "off");

effect(() => {
  if (theme.value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});
