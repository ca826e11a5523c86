/** Presses that were not meant: what follows from them may cost a game. */

/** So long after a tap, in ms, and so near to it, in px, another one is the second of a double tap. */
const DOUBLE = { ms: 500, px: 30 };

const second = new WeakSet<MouseEvent>();
let before: { timeStamp: number; clientX: number; clientY: number } | null = null;

// Firefox counts the clicks of a mouse, but not the taps of a finger: each of them is its first.
addEventListener(
  "click",
  (event) => {
    if (!(event instanceof PointerEvent) || event.pointerType !== "touch") return;
    const { timeStamp, clientX, clientY } = event;
    const near = before && Math.hypot(clientX - before.clientX, clientY - before.clientY) < DOUBLE.px;
    if (before && near && timeStamp - before.timeStamp < DOUBLE.ms) second.add(event);
    before = { timeStamp, clientX, clientY };
  },
  { capture: true },
);

/** Whether a press is the second one of a double click or a double tap. */
export const repeated = (event: MouseEvent): boolean => event.detail > 1 || second.has(event);

/** Do something for a press, but not for the second half of a double click: what lies there now may
 * have come between the two. */
export const once =
  (act: () => void) =>
  (event: MouseEvent): void => {
    if (!repeated(event)) act();
  };

// A key that is held presses a button once, and not the next one that gets the focus.
addEventListener(
  "keydown",
  (event) => {
    if (event.repeat && event.key === "Enter") event.preventDefault();
  },
  { capture: true },
);
