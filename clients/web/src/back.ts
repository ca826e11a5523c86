/** Back closes what lies over a screen before it leaves the screen, as people on phones expect. */

import { useEffect } from "preact/hooks";

/** What is open, each over the one before, as the browser's history has it. */
const layers: (() => void)[] = [];

/** How many layers are open where you are in the history. */
const depth = (): number => (history.state as { layers?: number } | null)?.layers ?? 0;

addEventListener("popstate", () => {
  while (layers.length > depth()) layers.pop()!();
  if (depth() > layers.length) history.back(); // what was open there is closed: nothing to come back to
});

/** For as long as something is open, to go back is to close it. */
export function useBack(isOpen: boolean, close: () => void): void {
  useEffect(() => {
    if (!isOpen) return;
    const layer = () => close();
    layers.push(layer);
    history.pushState({ layers: layers.length }, "");
    return () => {
      const at = layers.indexOf(layer);
      if (at < 0) return;
      layers.splice(at, 1);
      if (depth() > layers.length) history.back();
    };
  }, [isOpen]);
}
