/** The window's title. */

import { useEffect } from "preact/hooks";
import { texts } from "./texts";

/** Give the window this title while a screen is shown. */
export function useTitle(title: string): void {
  const { name } = texts.value;
  useEffect(() => {
    const mine = (document.title = `${title} · ${name}`);
    return () => {
      // The next screen may have its title already.
      if (document.title === mine) document.title = name;
    };
  }, [title, name]);
}
