/** Where the focus goes when its button disappears, so that people who play by keyboard can go on. */

import type { RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

/** Give the focus to the board, at the point that Tab would reach. */
export function toBoard(): void {
  document.querySelector<SVGElement>('.board-box [tabindex="0"]')?.focus({ preventScroll: true });
}

/** Whether what had the focus is gone. */
const isLost = () => !document.activeElement || document.activeElement === document.body;

/** Where the focus goes when a choice that has replaced its own control is undone: back to that control. What
 * it returns is to be set to a selector of the control with the choice. */
export function useWayBack(chosen: boolean): { current: string } {
  const from = useRef("");
  const was = useRef(chosen);
  useLayoutEffect(() => {
    if (was.current && !chosen && from.current && isLost())
      document.querySelector<HTMLElement>(from.current)?.focus({ preventScroll: true });
    was.current = chosen;
  }, [chosen]);
  return from;
}

/** If something in a table had the focus and disappears, what it names as its successor (`data-then`, a
 * selector) gets the focus, or else the board. */
export function useKeptFocus(table: RefObject<HTMLElement | null>): void {
  useEffect(() => {
    let held: HTMLElement | null = null;
    let isShown = false; // as it is for whoever uses the keyboard; nothing may scroll after a tap
    const onFocus = ({ target }: FocusEvent) => {
      held = target as HTMLElement;
      isShown = held.matches(":focus-visible");
    };
    const onPointer = () => void (held = null); // a press beside everything gives up the focus
    const observer = new MutationObserver(() => {
      if (!held || held.isConnected) return;
      const { then } = held.dataset;
      held = null;
      if (!isLost()) return;
      const next = then ? document.querySelector<HTMLElement>(then) : null;
      if (next) next.focus({ preventScroll: !isShown });
      else toBoard();
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
