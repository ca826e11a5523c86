/** The ratings of a player, each with its curve (SPEC 30). */

import { ArchiveError, type archive as Archive } from "@pierule/client";
import { gameName } from "../games/words";
import { texts } from "../texts";
import { isArchived, source, useAnswer } from "./source";
import { Unanswered } from "./Unanswered";
import { dayText, ratingAloud, ratingText } from "./words";

export function Ratings({ player }: { player: string }) {
  const { rating } = texts.value;
  const key = isArchived.value ? player : null;
  const { answer, error, again } = useAnswer(key, () => source.ratingsOf(player));
  const isFailed = error !== null && !(error instanceof ArchiveError && error.status === 404);
  if (!isFailed && !answer?.ratings.length) return null;
  return (
    <section class="panel" aria-labelledby="ratings">
      <h2 id="ratings">{rating.heading}</h2>
      {answer ? <List of={answer} /> : <Unanswered error={error} again={again} unknown="" />}
    </section>
  );
}

function List({ of: { ratings, version, at } }: { of: Archive.PlayerRatings }) {
  const { rating } = texts.value;
  return (
    <>
      <ul class="ratings">
        {ratings.map((each) => (
          <li key={each.game}>
            <a href={`#/ratings/${each.game}`}>{gameName(each.game)}</a>{" "}
            <b title={ratingAloud(each)}>{ratingText(each)}</b>{" "}
            <span class="note">
              {rating.games(each.games)}
              {each.provisional && `, ${rating.provisional}`}
            </span>
            <Curve of={each} />
          </li>
        ))}
      </ul>
      {[...new Set(ratings.map((each) => each.through))].map((through) => (
        <p key={through} class="note">
          {rating.through(version, through, dayText(at))}
        </p>
      ))}
    </>
  );
}

const WIDTH = 300;
const HEIGHT = 60;

/** The rating after each of the latest games. */
function Curve({ of: { curve } }: { of: Archive.PlayerRating }) {
  const { rating } = texts.value;
  const values = curve.map((point) => Number(point.rating));
  if (values.length < 2) return null;
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const x = (at: number) => (at / (values.length - 1)) * WIDTH;
  const y = (value: number) => HEIGHT - ((value - low) / (high - low || 1)) * HEIGHT;
  const points = values.map((value, at) => `${x(at).toFixed(1)},${y(value).toFixed(1)}`).join(" ");
  const days = [curve[0]!, curve.at(-1)!].map((point) => dayText(point.ended));
  const text = rating.curve(values.length, days[0]!, days[1]!, Math.round(low), Math.round(high));
  return (
    <figure class="curve">
      <svg viewBox={`-3 -3 ${WIDTH + 6} ${HEIGHT + 6}`} role="img" aria-label={text}>
        <polyline points={points} />
        <circle cx={x(values.length - 1)} cy={y(values.at(-1)!)} r="3" />
      </svg>
      <figcaption class="note">{text}</figcaption>
    </figure>
  );
}
