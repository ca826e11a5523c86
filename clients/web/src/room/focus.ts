/** Where the focus goes when the button that had it is gone: whoever plays by keyboard goes on from there. */

import type { RefObject } from "preact";
import { useEffect } from "preact/hooks";

/** To the point of the board that has its Tab stop. */
export function toBoard(): void {
  document.querySelector<SVGElement>('.board-box [tabindex="0"]')?.focus({ preventScroll: true });
}

/** Whatever of a table had the focus and is gone, leaves it to the board. */
export function useKeptFocus(table: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let held: Element | null = null;
    const onFocus = ({ target }: FocusEvent) => void (held = target as Element);
    const onPointer = () => void (held = null); // a press beside everything gives the focus up
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
