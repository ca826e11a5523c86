/** What somebody looks for in the archive: as the address has it, and as the archive takes it. Pure. */

import type { archive } from "@pierule/client";
import type { Search } from "../route";

const NAMES = ["player", "game", "size", "result", "category", "bot"] as const;
const DAY = 24 * 60 * 60 * 1000;

/** The parameters of a search; what nobody can mean is left out. `until` includes its day, and the
 * latest games come first. */
export function searchOf(search: Search): archive.SearchAll {
  const asked = Object.fromEntries(NAMES.flatMap((name) => (search[name] ? [[name, search[name]]] : [])));
  const since = dayOf(search.since);
  const until = dayOf(search.until);
  const rating = ratingOf(search);
  // Without any search, the feed also has lines that are no games.
  return {
    min_plies: 0,
    ...(asked as archive.SearchAll),
    ...(since !== null && { since }),
    ...(until !== null && { until: until + DAY }),
    ...(rating !== null && { min_rating: rating }),
    order: "desc",
  };
}

const DATE = /^\d{4}-\d\d(-\d\d)?$/;

/** Whether a search ends before it begins, so that nothing can be found. */
export const isBackward = ({ since = "", until = "" }: Search): boolean =>
  DATE.test(since) && DATE.test(until) && since > until;

/** When a day such as `2026-01-31` begins, in milliseconds since 1970; null: it is none. */
export function dayOf(text: string | undefined): number | null {
  const at = /^\d{4}-\d\d-\d\d$/.test(text ?? "") ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return at >= 0 ? at : null;
}

/** The rating that both players have to have at least; null: any. */
export const ratingOf = ({ rating }: Search): number | null =>
  /^\d{1,4}$/.test(rating ?? "") ? Number(rating) : null;

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** Which games count for the cuts of a game. */
export function countingOf(search: Search): archive.Offering {
  const { size, since, until, bot } = search;
  const rating = ratingOf(search);
  return {
    ...(size && { size: Number(size) }),
    ...(MONTH.test(since ?? "") && { since: since! }),
    ...(MONTH.test(until ?? "") && { until: until! }),
    ...(bot && { bot: bot === "true" }),
    ...(rating !== null && { rating }),
    limit: 500,
  };
}
