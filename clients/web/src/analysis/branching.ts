/** Goes from one variation to the next with the up and down arrow keys. */

import { useEffect } from "preact/hooks";
import type { AnalysisTable } from "./table";
import { beside } from "./tree";

const BY_KEY: Record<string, 1 | -1> = { ArrowUp: -1, ArrowDown: 1 };

/** Where these keys have another use: on the board they move from point to point. */
const ELSEWHERE = 'input, textarea, select, [role="grid"]';

export function useBranching(table: AnalysisTable): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const by = BY_KEY[event.key];
      const { target } = event;
      if (!by || event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey)
        return;
      if (!(target instanceof Element) || target.closest(ELSEWHERE)) return;
      const to = beside(table.tree.value, table.at.value, by);
      if (to === table.at.value) return; // there is no other variation, so the page may scroll
      event.preventDefault();
      table.go(to);
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, [table]);
}
