/** Whether a game counts for ratings, why it does not, and what it did to them (SPEC 30). */

import type { RoomState } from "@pierule/client";
import { RatingChange } from "../archive/RatingChange";
import { isArchived } from "../archive/source";
import { texts } from "../texts";

/** How the game changed both ratings, as soon as that is known. */
export function Change({ state }: { state: RoomState }) {
  if (!hasChange(state)) return null;
  return (
    <p class="hint-text change" role="status">
      <RatingChange key={state.room} game={state.room} ended={state.at} />
    </p>
  );
}

export function Rated({ state }: { state: RoomState }) {
  return hasChange(state) ? null : <span class="spectators">{ratedText(state)}</span>;
}

const hasChange = ({ status, unrated }: RoomState): boolean =>
  status === "over" && !unrated && !!isArchived.value;

/** Whether a game counts, or will, and if not, why. */
export function ratedText({ status, unrated, rated, seats }: RoomState): string {
  const { rating } = texts.value;
  if (unrated) return rating.unrated(rating.reasons[unrated] ?? unrated);
  if (status === "open" && seats.some((each) => each?.bot)) return rating.openBot;
  return status === "open" && rated !== "yes" ? rating.open : rating.rated;
}
