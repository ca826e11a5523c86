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

/** A rating: a whole number, or while it is provisional the interval in which it lies (SPEC 30.5). */
export const ratingText = ({ rating, deviation, provisional }: archive.RatingValue): string =>
  rated(Number(rating), provisional ? Number(deviation) : 0, texts.value.rating.interval);

/** With a deviation above this a rating is provisional. */
const SETTLED = 110;

/** The rating beside a name, in the same way. */
export const standingText = (of: Standing): string =>
  rated(of.rating, unsure(of), texts.value.rating.interval);

/** The same as it is read aloud. */
export const standingAloud = (of: Standing): string => aloud(of.rating, unsure(of));

const unsure = ({ deviation }: Standing): number => (deviation > SETTLED ? deviation : 0);

function aloud(value: number, unsure: number): string {
  const { beside, besideUnsure } = texts.value.rating;
  return unsure ? rated(value, unsure, besideUnsure) : beside(`${Math.round(value)}`);
}

function rated(value: number, unsure: number, interval: (low: number, high: number) => string): string {
  if (!unsure) return `${Math.round(value)}`;
  return interval(Math.round(value - 2 * unsure), Math.round(value + 2 * unsure));
}

const ratingAloud = ({ rating, deviation, provisional }: archive.RatingValue): string =>
  aloud(Number(rating), provisional ? Number(deviation) : 0);

/** Whether this is the rating of a bot, which never changes (SPEC 30.9). */
const isFixed = ({ before, after }: archive.Rated): boolean => before.games === after.games;

/** What a game did to a rating, beside the name. */
export const becameText = (it: archive.Rated): string =>
  isFixed(it) ? ratingText(it.after) : `${ratingText(it.before)} → ${ratingText(it.after)}`;

/** The same as it is read aloud. */
export const becameAloud = (it: archive.Rated): string =>
  isFixed(it)
    ? ratingAloud(it.after)
    : texts.value.rating.became(ratingAloud(it.before), ratingAloud(it.after));

/** What a game did to somebody's rating, in a sentence. */
export function changeText(name: string, it: archive.Rated): string {
  const { change, stays } = texts.value.rating;
  return isFixed(it)
    ? stays(name, ratingText(it.after))
    : change(name, ratingText(it.before), ratingText(it.after));
}

/** What a player of the archive is called. */
export const playerText = ({ name }: archive.Seated): string => name ?? texts.value.archive.deleted;

/** How a game ended. */
export const resultWords = (game: archive.GameLine): string =>
  plainResult(resultOf(game), game.players.map(playerText));
