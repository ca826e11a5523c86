/** The button that downloads the games of a player that a search finds, with their actions and events. */

import type { archive as Archive } from "@pierule/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import { download } from "../download";
import { texts } from "../texts";
import { source } from "./source";
import { Unanswered } from "./Unanswered";
import { wholeGames } from "./whole";

interface DownloadProps {
  player: Archive.Player;
  search: Parameters<typeof source.gamesOf>[1];
}

export function DownloadGames({ player, search }: DownloadProps) {
  const { player: words } = texts.value.archive;
  const [busy, setBusy] = useState(false);
  const [games, setGames] = useState(0);
  const [error, setError] = useState<Error | null>(null);
  const leaving = useMemo(() => new AbortController(), []);
  useEffect(() => () => leaving.abort(), []);
  const act = async () => {
    if (busy) return;
    setBusy(true);
    setError(null);
    try {
      const text = await wholeGames(source.gamesOf(player.id, search), source, setGames, leaving.signal);
      download(`pierule-${player.id}-games.ndjson`, text);
    } catch (failed) {
      setError(failed as Error);
    }
    setBusy(false);
  };
  return (
    <div class="buttons">
      <button aria-disabled={busy} onClick={() => void act()}>
        {words.download}
      </button>
      <span class="hint-text" role="status">
        {games > 0 && words.downloaded(games)}
      </span>
      {error && <Unanswered error={error} again={() => void act()} unknown="" />}
    </div>
  );
}
