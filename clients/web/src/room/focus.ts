/** Where the focus goes when its button disappears, so that people who play by keyboard can go on. */

import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** Give the focus to the board, at the point that Tab would reach. */
export function toBoard(): void {
  document.querySelector<SVGElement>('.board-box [tabindex="0"]')?.focus({ preventScroll: true });
}

/** If something in a table had the focus and disappears, the board gets the focus. */
export function useKeptFocus(table: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let held: Element | null = null;
    const onFocus = ({ target }: FocusEvent) => void (held = target as Element);
    const onPointer = () => void (held = null); // a press beside everything gives up the focus
    const observer = new MutationObserver(() => {
      if (!held || held.isConnected) return;
      held = null;
      if (!document.activeElement || document.activeElement === document.body) toBoard();
    });
    const element = table.current!;
    observer.observe(element, { childList: true, subtree: true });
    element.addEventListener("focusin", onFocus);
    addEventListener("pointerdown", onPointer);
    return () => {
      observer.disconnect();
      element.removeEventListener("focusin", onFocus);
      removeEventListener("pointerdown", onPointer);
    };
  }, []);
}
