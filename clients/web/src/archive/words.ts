/** Numbers, days and results of the archive, in words. */

import type { archive } from "@pierule/client";
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
export function ratingText({ rating, deviation, provisional }: archive.RatingValue): string {
  const { rating: words } = texts.value;
  const [value, unsure] = [Number(rating), Number(deviation)];
  if (!provisional) return `${Math.round(value)}`;
  return words.interval(Math.round(value - 2 * unsure), Math.round(value + 2 * unsure));
}

/** What a game did to somebody's rating. */
export const changeText = (name: string, { before, after }: archive.Rated): string =>
  texts.value.rating.change(name, ratingText(before), ratingText(after));

/** What a player of the archive is called. */
export const playerText = ({ name }: archive.Seated): string => name ?? texts.value.archive.deleted;

/** How a game ended. */
export const resultWords = (game: archive.GameLine): string =>
  plainResult(resultOf(game), game.players.map(playerText));
