/** The list of keys, a sheet that `?` opens on every screen. It is loaded then. */

import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { texts } from "./texts";

export const keysOpen = signal(false);

/** Opens the sheet, for people who have a keyboard. */
export const KeysLink = () => (
  <button class="link keys" aria-haspopup="dialog" onClick={() => (keysOpen.value = true)}>
    {texts.value.keys.title} <kbd>?</kbd>
  </button>
);

export function useKeys(): void {
  useEffect(() => {
    const onKey = ({ key, target, defaultPrevented, ctrlKey, metaKey }: KeyboardEvent) => {
      if (key !== "?" || defaultPrevented || ctrlKey || metaKey) return;
      if (!(target instanceof Element && target.closest("input, textarea, select"))) keysOpen.value = true;
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
}
