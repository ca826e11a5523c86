/** How a game changed the ratings of its players (SPEC 30). */

import type { archive as Archive } from "@pierule/client";
import { useEffect, useState } from "preact/hooks";
import { client } from "../server";
import { texts } from "../texts";
import { source, useAnswer } from "./source";
import { changeText, playerText } from "./words";

/** When to ask for a game that has yet to be archived and rated: first `after` some ms, then each time
 * later by `growth`, at most so many `times`. After the `usual` number of times, the page no longer says
 * "in a few seconds". */
const SOON = { after: 3_000, growth: 1.3, usual: 6, times: 14 };

/** A game that ended this long ago, in ms, is usually rated already. */
const OLD = 60_000;

/** `game` is a room or a feed number; `ended` is when it ended, by the server's time in ms. */
export function RatingChange({ game, ended }: { game: string | number; ended: number }) {
  const { rating } = texts.value;
  const [isOld] = useState(client.now() - ended > OLD);
  const [round, setRound] = useState(isOld ? 1 : 0);
  const { answer, error } = useAnswer(round ? `${game} ${round}` : null, () => source.game(`${game}`));
  const known = answer?.ratings;
  useEffect(() => {
    if (known || round >= SOON.times || (round > 0 && !answer && !error)) return;
    const timer = setTimeout(() => setRound(round + 1), SOON.after * SOON.growth ** round);
    return () => clearTimeout(timer);
  }, [round, answer, error]);
  if (known) return <>{changes(answer)}</>;
  if (isOld && round === 1 && !answer && !error) return null;
  return <>{!isOld && round < SOON.usual ? rating.soon : rating.rated}</>;
}

/** Both ratings before and after a game; null if it is not rated yet. */
export function changes({ ratings, players }: Archive.WholeGame): string | null {
  if (!ratings) return null;
  return ratings.map((each, seat) => changeText(playerText(players[seat]!), each)).join(" ");
}
