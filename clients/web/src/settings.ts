/** What you have chosen for the page in this browser. */

import { computed, effect, signal, type Signal } from "@preact/signals";
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
/** What boards are made of. */
export const MATERIALS = ["paper", "wood", "slate"] as const;
export const material = kept("material", MATERIALS, "paper");
/** Whether contrast is high: as the system is set, or always. With high contrast, boards have no material. */
export const contrast = kept("contrast", ["auto", "more"] as const, "auto");
/** Whether boards on the first screen move. */
export const moving = kept("moving", ["yes", "no"] as const, "yes");
/** Whether you see boards from their other side. */
export const turned = kept("turned", ["no", "yes"] as const, "no");
/** Whether an action waits for its confirmation; if not, the last tap sends it. */
export const confirming = kept("confirming", ["yes", "no"] as const, "yes");
/** Whether the system tells you that it is your turn while you look elsewhere. */
export const calling = kept("calling", ["no", "yes"] as const, "no");
export const sound = kept("sound", ["on", "off"] as const, "on");

effect(() => {
  if (theme.value === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = theme.value;
});

const system = matchMedia("(prefers-contrast: more), (forced-colors: active)");
const systemWants = signal(system.matches);
system.addEventListener("change", () => (systemWants.value = system.matches));
export const isContrasted = computed(() => contrast.value === "more" || systemWants.value);

effect(() => {
  const { dataset } = document.documentElement;
  if (isContrasted.value) {
    dataset.contrast = "more";
    delete dataset.material;
  } else {
    dataset.material = material.value;
    delete dataset.contrast;
  }
});
