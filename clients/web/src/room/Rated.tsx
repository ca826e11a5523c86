/** Whether a game counts for ratings, if not, why, and what it did to them (SPEC 30). */

import type { RoomState } from "@pierule/client";
import { RatingChange } from "../archive/RatingChange";
import { isArchived } from "../archive/source";
import { texts } from "../texts";

export function Rated({ state }: { state: RoomState }) {
  return <span class="spectators">{rated(state)}</span>;
}

function rated({ status, unrated, rated, room }: RoomState) {
  const { rating } = texts.value;
  if (unrated) return rating.unrated(rating.reasons[unrated] ?? unrated);
  if (status === "over" && isArchived.value) return <RatingChange key={room} game={room} />;
  return status === "open" && rated !== "yes" ? rating.open : rating.rated;
}
