/** The window's title. */

import { useEffect } from "preact/hooks";
import { texts } from "./texts";

/** Give the window this title while a screen is shown. */
export function useTitle(title: string): void {
  const { name } = texts.value;
  useEffect(() => {
    document.title = `${title} · ${name}`;
    return () => void (document.title = name);
  }, [title, name]);
}
