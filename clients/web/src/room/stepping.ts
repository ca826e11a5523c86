/** Stepping through the actions, by keys and by the mouse wheel over the board. */

import type { RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { turned } from "../settings";

export interface Stepping {
  ply: number;
  last: number;
  look: (ply: number) => void;
}

/** How far a wheel turns for one step, in pixels; a notch of most mice is 100 or more. */
const NOTCH = 50;
/** The pixels of a line, for wheels that count in lines. */
const LINE = 25;

/** On the board the arrow keys move from point to point, so there comma and full stop step. */
const BY_KEY: Record<string, number> = { ArrowLeft: -1, ArrowRight: 1 };
const BY_KEY_ON_BOARD: Record<string, number> = { ",": -1, ".": 1 };

/** By how many actions a key steps; 0: it is for something else. */
export function stepOf(event: KeyboardEvent): number {
  const { target, key } = event;
  if (!isForTable(event)) return 0;
  return ((target as Element).closest('[role="grid"]') ? BY_KEY_ON_BOARD : BY_KEY)[key] ?? 0;
}

/** Whether a key turns the board around. */
export const isTurning = (event: KeyboardEvent): boolean => event.key === "f" && isForTable(event);

function isForTable(event: KeyboardEvent): boolean {
  const { target } = event;
  if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey)
    return false;
  return target instanceof Element && !target.closest("input, textarea, select, dialog");
}

/** Turn boards around, or back. */
export const turnAround = (): void => void (turned.value = turned.value === "yes" ? "no" : "yes");

/** Let keys and the wheel step through the game whose table this element is in. */
export function useStepping(element: RefObject<HTMLElement | null>, stepping: Stepping): void {
  const now = useRef(stepping);
  now.current = stepping;
  useEffect(() => {
    const may = (by: number) =>
      by !== 0 && now.current.ply + by >= 0 && now.current.ply + by <= now.current.last;
    const onKey = (event: KeyboardEvent) => {
      if (isTurning(event)) return turnAround();
      const by = stepOf(event);
      if (!may(by)) return;
      event.preventDefault();
      now.current.look(now.current.ply + by);
    };
    let turned = 0;
    const onWheel = (event: WheelEvent) => {
      const way = Math.sign(event.deltaY);
      if (event.ctrlKey || event.shiftKey || !may(way)) return void (turned = 0); // it zooms or scrolls
      event.preventDefault();
      turned = (Math.sign(turned) === way ? turned : 0) + event.deltaY * (event.deltaMode ? LINE : 1);
      if (Math.abs(turned) < NOTCH) return;
      turned = 0;
      now.current.look(now.current.ply + way);
    };
    const board = element.current?.closest(".table")?.querySelector<HTMLElement>(".board-box");
    addEventListener("keydown", onKey);
    board?.addEventListener("wheel", onWheel, { passive: false });
    return () => {
      removeEventListener("keydown", onKey);
      board?.removeEventListener("wheel", onWheel);
    };
  }, []);
}
