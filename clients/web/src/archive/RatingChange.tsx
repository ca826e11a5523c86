/** What a game did to the ratings of its players (SPEC 30). */

import type { archive as Archive } from "@pierule/client";
import { useEffect, useState } from "preact/hooks";
import { texts } from "../texts";
import { source, useAnswer } from "./source";
import { changeText, playerText } from "./words";

/** So long a game is left alone before it is asked for again, in ms, and so often it is: it has to be
 * archived and rated. */
const SOON = { after: 4_000, times: 6 };

/** `game` is a room or a feed number. */
export function RatingChange({ game }: { game: string | number }) {
  const { rating } = texts.value;
  const [round, setRound] = useState(0);
  const { answer, error } = useAnswer(round ? `${game} ${round}` : null, () => source.game(`${game}`));
  const known = answer?.ratings;
  useEffect(() => {
    if (known || round >= SOON.times || (round > 0 && !answer && !error)) return;
    const timer = setTimeout(() => setRound(round + 1), SOON.after);
    return () => clearTimeout(timer);
  }, [round, answer, error]);
  if (known) return <>{changes(answer)}</>;
  return <>{round < SOON.times ? rating.soon : rating.rated}</>;
}

/** Both ratings before and after a game; null if it is not rated yet. */
export function changes({ ratings, players }: Archive.WholeGame): string | null {
  if (!ratings) return null;
  return ratings.map((each, seat) => changeText(playerText(players[seat]!), each)).join(" ");
}
