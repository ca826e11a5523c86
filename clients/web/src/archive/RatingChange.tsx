/** What a game did to the ratings of its players (SPEC 30). */

import type { archive as Archive } from "@pierule/client";
import { useEffect, useState } from "preact/hooks";
import { texts } from "../texts";
import { source, useAnswer } from "./source";
import { changeText, playerText } from "./words";

/** A game has to be archived and rated: how long it is left alone at first, in ms, how much longer each
 * time, and how often. Later than it usually takes, nobody is told that it comes soon. */
const SOON = { after: 3_000, growth: 1.3, usually: 6, times: 14 };

/** `game` is a room or a feed number. */
export function RatingChange({ game }: { game: string | number }) {
  const { rating } = texts.value;
  const [round, setRound] = useState(0);
  const { answer, error } = useAnswer(round ? `${game} ${round}` : null, () => source.game(`${game}`));
  const known = answer?.ratings;
  useEffect(() => {
    if (known || round >= SOON.times || (round > 0 && !answer && !error)) return;
    const timer = setTimeout(() => setRound(round + 1), SOON.after * SOON.growth ** round);
    return () => clearTimeout(timer);
  }, [round, answer, error]);
  if (known) return <>{changes(answer)}</>;
  return <>{round < SOON.usually ? rating.soon : rating.rated}</>;
}

/** Both ratings before and after a game; null if it is not rated yet. */
export function changes({ ratings, players }: Archive.WholeGame): string | null {
  if (!ratings) return null;
  return ratings.map((each, seat) => changeText(playerText(players[seat]!), each)).join(" ");
}
