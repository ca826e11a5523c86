/** The Back button closes whatever lies over a screen before it leaves the screen, as people on phones
 * expect. */

import { useEffect } from "preact/hooks";

/** How to close each open layer, the top one last. Each has an entry in the browser's history. */
const layers: (() => void)[] = [];

/** How many layers were open at the present entry of the history. */
const depth = (): number => (history.state as { layers?: number } | null)?.layers ?? 0;

addEventListener("popstate", () => {
  while (layers.length > depth()) layers.pop()!();
  if (depth() > layers.length) history.back(); // you went forward to a layer that is closed by now
});

/** While something is open, going back closes it. */
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
