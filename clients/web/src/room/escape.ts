/** The Escape key takes back what is being put together, unless it is for something else. */

import { useEffect } from "preact/hooks";

/** While one of these is open, Escape is for it. */
const OTHERS = 'dialog[open], [role="alertdialog"], .settings';

export function useEscape(table: { undo(): void }, acting: boolean): void {
  useEffect(() => {
    if (!acting) return;
    const onKey = ({ key, target, defaultPrevented }: KeyboardEvent) => {
      if (key !== "Escape" || defaultPrevented || document.querySelector(OTHERS)) return;
      if (!(target instanceof Element && target.closest("input, textarea, select"))) table.undo();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [table, acting]);
}
