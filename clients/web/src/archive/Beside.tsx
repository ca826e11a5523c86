/** The rating that a player had as they sat down, beside their name (SPEC 30.6). */

import type { Standing } from "@pierule/client";
import { standingAloud, standingText } from "./words";

/** Rooms and cards have none for guests, for bots, and for whoever is not rated yet. */
export function Beside({ standing }: { standing: Standing | null | undefined }) {
  if (!standing) return null;
  return (
    <>
      {" "}
      <span class="rating">
        <span aria-hidden="true">{standingText(standing)}</span>
        <span class="aloud">{standingAloud(standing)}</span>
      </span>
    </>
  );
}
