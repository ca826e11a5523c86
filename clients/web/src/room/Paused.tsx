/** That the clocks are paused, and whose turn it is `then`. */

import { useNow } from "./Since";
import { pausedText } from "./times";

export const Paused = ({ until, then }: { until: number | null; then: string }) => (
  <p class="prompt">
    {pausedText(until, useNow())} {then}
  </p>
);
