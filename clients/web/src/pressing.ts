/** Presses that nobody meant, which could cost a game. */

/** How soon and how near a tap must follow another one to be the second half of a double tap. */
const DOUBLE = { ms: 500, px: 30 };

const second = new WeakSet<MouseEvent>();
let before: { timeStamp: number; clientX: number; clientY: number } | null = null;

// Firefox counts the clicks of a mouse, but not the taps of a finger: for it, each tap is the first.
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

/** Whether a press is the second half of a double click or a double tap. */
export const repeated = (event: MouseEvent): boolean => event.detail > 1 || second.has(event);

/** Act on a press, but not on the second half of a double click: the button may have come there between
 * the two. */
export const once =
  (act: () => void) =>
  (event: MouseEvent): void => {
    if (!repeated(event)) act();
  };

// A key that is held down presses one button, and not also the next one that gets the focus.
addEventListener(
  "keydown",
  (event) => {
    if (event.repeat && event.key === "Enter") event.preventDefault();
  },
  { capture: true },
);
