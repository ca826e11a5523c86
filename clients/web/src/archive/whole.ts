/** The games of a list with everything that the archive knows about them (SPEC 27.8), for a download. */

import type { archive } from "@pierule/client";

interface Source {
  game: (feed: number) => Promise<archive.WholeGame>;
}

/** The games of these lines as one text, a line of JSON for each. `told` is called with their number so far.
 * Rejects with ArchiveError, and when the user gives up (`given`). */
export async function wholeGames(
  lines: AsyncIterable<archive.GameLine>,
  source: Source,
  told: (games: number) => void,
  given: AbortSignal,
): Promise<string> {
  const all: string[] = [];
  for await (const { feed } of lines) {
    given.throwIfAborted();
    all.push(`${JSON.stringify(await source.game(feed))}\n`);
    told(all.length);
  }
  return all.join("");
}
