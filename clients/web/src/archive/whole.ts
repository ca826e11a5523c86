/** All games of a list with everything that the archive knows of them, to keep (SPEC 27.8). */

import type { archive } from "@pierule/client";

interface Source {
  game: (feed: number) => Promise<archive.WholeGame>;
}

/** The games of these lines in one text, a line of JSON for each; `told` hears how many there are so far.
 * Rejects with ArchiveError, and once it is `given` up. */
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
