/** Numbers, days and results of the archive, in words. */

import type { archive, Standing } from "@pierule/client";
import { plainResult } from "../room/result";
import { language } from "../settings";
import { texts } from "../texts";
import { resultOf } from "./record";

export function percent(share: number): string {
  return share.toLocaleString(language.value, { style: "percent" });
}

/** A day, from milliseconds since 1970. */
export const dayText = (at: number): string =>
  new Date(at).toLocaleDateString(language.value, { dateStyle: "medium" });

/** A share and the limits between which it lies. */
export function intervalText({ share, low, high }: archive.Interval): string {
  const { archive } = texts.value;
  return share === null ? archive.unknown : archive.interval(percent(share), percent(low), percent(high));
}

export const outcomeText = ({ black, white, draws }: archive.Results): string =>
  texts.value.archive.outcome(black, white, draws);

/** Above this deviation, a rating is provisional (SPEC 30.5). */
const SETTLED = 110;

/** A rating in points, and how far it may be `off`: two deviations while it is provisional, otherwise 0. */
interface Points {
  value: number;
  off: number;
}

const points = (rating: number, deviation: number): Points => ({
  value: Math.round(rating),
  off: Math.round(2 * deviation),
});

const standing = ({ rating, deviation }: Standing): Points =>
  points(rating, deviation > SETTLED ? deviation : 0);

const archived = ({ rating, deviation, provisional }: archive.RatingValue): Points =>
  points(Number(rating), provisional ? Number(deviation) : 0);

/** For the eye, on one line. */
const seen = ({ value, off }: Points): string => (off ? `${value}\u00a0±${off}` : `${value}`);

/** For the ear. */
function aloud({ value, off }: Points): string {
  const { beside, besideUnsure } = texts.value.rating;
  return off ? besideUnsure(value, value - off, value + off) : beside(`${value}`);
}

export const ratingText = (of: archive.RatingValue): string => seen(archived(of));
export const ratingAloud = (of: archive.RatingValue): string => aloud(archived(of));
/** The same for the rating beside a name. */
export const standingText = (of: Standing): string => seen(standing(of));
export const standingAloud = (of: Standing): string => aloud(standing(of));

/** Whether this is the rating of a bot, which never changes (SPEC 30.9). */
const isFixed = ({ before, after }: archive.Rated): boolean => before.games === after.games;

/** By how much a game changed a rating: the difference between the two rounded numbers. */
function moved({ before, after }: archive.Rated): string {
  const by = archived(after).value - archived(before).value;
  return by ? `${by > 0 ? "+" : "−"}${Math.abs(by)}` : "±0";
}

/** The rating after a game, and by how much the game changed it. */
export const becameText = (it: archive.Rated): string =>
  isFixed(it) ? ratingText(it.after) : `${ratingText(it.after)} (${moved(it)})`;

/** The same for the ear. */
export const becameAloud = (it: archive.Rated): string =>
  isFixed(it)
    ? ratingAloud(it.after)
    : texts.value.rating.became(ratingAloud(it.before), ratingAloud(it.after));

/** A sentence about how a game changed somebody's rating. */
export function changeText(name: string, it: archive.Rated): string {
  const { stays } = texts.value.rating;
  return isFixed(it) ? stays(name, ratingText(it.after)) : `${name}: ${becameText(it)}.`;
}

/** The name of a player of the archive. */
export const playerText = ({ name }: archive.Seated): string => name ?? texts.value.archive.deleted;

/** How a game ended. */
export const resultWords = (game: archive.GameLine): string =>
  plainResult(resultOf(game), game.players.map(playerText));
