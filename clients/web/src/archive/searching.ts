/** Searches in the archive: from the form in the address to the parameters of the archive. Pure. */

import type { Archive, archive } from "@pierule/client";
import type { Search } from "../route";

const NAMES = ["player", "game", "size", "result", "category", "bot"] as const;
const DAY = 24 * 60 * 60 * 1000;

/** The parameters of a search, without those that make no sense. `until` includes its day, and the latest
 * games come first. */
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

/** Whether a search ends before it begins, so that it can find nothing. */
export const isBackward = ({ since = "", until = "" }: Search): boolean =>
  DATE.test(since) && DATE.test(until) && since > until;

/** When a day such as `2026-01-31` begins, in ms since 1970; null if there is no such day. */
export function dayOf(text: string | undefined): number | null {
  const at = /^\d{4}-\d\d-\d\d$/.test(text ?? "") ? Date.parse(`${text}T00:00:00Z`) : NaN;
  return at >= 0 ? at : null;
}

/** The least rating of both players; null: any. */
export const ratingOf = ({ rating }: Search): number | null =>
  /^\d{1,4}$/.test(rating ?? "") ? Number(rating) : null;

const MONTH = /^\d{4}-(0[1-9]|1[0-2])$/;

/** The parameters that say which games count, for the cuts of a game. */
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

/** The cuts of a game. Without a size, they are those of the board that the page offers; if there are none, those of
 * the board of the latest game. */
export async function cutsOf(
  source: Pick<Archive, "cuts" | "games">,
  game: string,
  asked: archive.Offering,
  offered: number,
): Promise<archive.Cuts> {
  const found = await source.cuts(game, { ...asked, size: asked.size ?? offered });
  if (asked.size || found.cuts.length) return found;
  for await (const line of source.games({ game, min_plies: 1, order: "desc", limit: 1 }))
    if ("size" in line && line.size !== found.size) return source.cuts(game, { ...asked, size: line.size });
  return found;
}
