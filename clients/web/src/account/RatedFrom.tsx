/** Tells users who left too many rated games when they can enter new ones again (SPEC 30.7). */

import { ratedFrom } from "../notices";
import { ratedFromText } from "../refusals";

export const RatedFrom = () => (
  <p class="hint-text" role="status">
    {ratedFrom.value > 0 && ratedFromText(ratedFrom.value)}
  </p>
);
