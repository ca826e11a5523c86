/** The games that ended last, if there is an archive. */

import type { archive as Archive } from "@pierule/client";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { GameRow } from "../archive/GameRow";
import { isArchived, source } from "../archive/source";
import { Unanswered } from "../archive/Unanswered";
import { offline } from "../offline/offline";
import { texts } from "../texts";

const COUNT = 5;
/** How often to ask for newer ones, in ms. */
const REFRESH = 60_000;

/** The latest answer; null before the first. */
const recent = signal<readonly Archive.GameLine[] | null>(null);
const failure = signal<Error | null>(null);

async function refresh(): Promise<void> {
  const lines: Archive.GameLine[] = [];
  try {
    for await (const line of source.games({ min_plies: 1, order: "desc", limit: COUNT }))
      if ("game" in line) lines.push(line);
    recent.value = lines;
    failure.value = null;
  } catch (error) {
    failure.value = error as Error;
  }
}

export function Recent() {
  const { archive } = texts.value;
  const isShown = isArchived.value && !offline.value;
  useEffect(() => {
    if (!isShown) return;
    void refresh();
    const timer = setInterval(() => !document.hidden && void refresh(), REFRESH);
    return () => clearInterval(timer);
  }, [isShown]);
  if (!isShown) return null;
  const { value: lines } = recent;
  return (
    <section class="list">
      <h2>{archive.title}</h2>
      <ul>
        {lines?.map((game) => (
          <GameRow key={game.feed} game={game} />
        ))}
      </ul>
      {lines?.length === 0 && <p class="empty">{archive.noRecent}</p>}
      {!lines && <Unanswered error={failure.value} again={() => void refresh()} unknown={archive.noRecent} />}
      <a href="#/games">{archive.all}</a>
    </section>
  );
}
