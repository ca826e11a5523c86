/** Presses that were not meant: what follows from them may cost a game. */

/** Do something for a press, but not for the second half of a double click: what lies there now may
 * have come between the two. */
export const once =
  (act: () => void) =>
  ({ detail }: MouseEvent): void => {
    if (detail < 2) act();
  };

// A key that is held presses a button once, and not the next one that gets the focus.
addEventListener(
  "keydown",
  (event) => {
    if (event.repeat && event.key === "Enter") event.preventDefault();
  },
  { capture: true },
);
