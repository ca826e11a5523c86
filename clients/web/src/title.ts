/** What the window is called. */

import { useEffect } from "preact/hooks";
import { texts } from "./texts";

/** Call the window so for as long as a screen is shown. */
export function useTitle(title: string): void {
  const { name } = texts.value;
  useEffect(() => {
    document.title = `${title} · ${name}`;
    return () => void (document.title = name);
  }, [title, name]);
}
