/** Marks the winner: a wreath, and a word for screen readers. */

import { texts } from "../texts";

export const Laurel = () => (
  <span class="laurel">
    <svg viewBox="0 0 24 24" aria-hidden="true">
      <path d="M7 4c-4 4-4 12 4 16M17 4c4 4 4 12-4 16M4 9l3 1M4 14l3.500-.500M7 18l2.500-2M20 9l-3 1M20 14l-3.500-.500M17 18l-2.500-2" />
    </svg>
    <span class="aloud">{texts.value.result.won}</span>
  </span>
);
