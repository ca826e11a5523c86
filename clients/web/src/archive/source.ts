/** The archive of this server, and hooks with which screens ask it. */

import { Archive, type archive } from "@pierule/client";
import { computed } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import { address, known } from "../server";

/** Whether this server has an archive of finished games (SPEC 27.14); null until that is known. */
export const isArchived = computed(() => known.value?.features.includes("archive") ?? null);

/** Whether the archive's API evaluates positions (SPEC 27.17). */
export const isEvaluated = computed(
  () => isArchived.value && (known.value?.features.includes("evaluations") ?? false),
);

export const source = new Archive(address(), { tries: 3 });
/** The same, for answers that the page can do without: it gives up after one try. */
export const hasty = new Archive(address(), { tries: 1 });

/** An answer that is on its way (both null), has come, or will not come. */
export type Asked<T> = { answer: T | null; error: Error | null };

/** The answer of `ask`, which is called again when `key` changes; with null, it is not called. */
export function useAnswer<T>(key: string | null, ask: () => Promise<T>): Asked<T> & { again: () => void } {
  const [asked, setAsked] = useState<Asked<T>>({ answer: null, error: null });
  const [round, setRound] = useState(0);
  useEffect(() => {
    let wanted = true;
    setAsked({ answer: null, error: null });
    if (key !== null)
      ask().then(
        (answer) => wanted && setAsked({ answer, error: null }),
        (error: Error) => wanted && setAsked({ answer: null, error }),
      );
    return () => void (wanted = false);
  }, [key, round]);
  return { ...asked, again: () => setRound(round + 1) };
}

export interface Games {
  lines: archive.GameLine[];
  loading: boolean;
  error: Error | null;
  /** Load more, or try again; null if there is no more. */
  more: (() => void) | null;
}

type Read = (after: string | undefined, limit: number) => AsyncGenerator<archive.Line, void>;

/** How many new lines to wait for before showing them, while others are still coming. */
const GLIMPSE = 50;

/** The games that `read` brings, `step` at a time, from the beginning again when `key` changes. */
export function useGames(key: string | null, step: number, read: Read): Games {
  const [games, setGames] = useState<Omit<Games, "more"> & { key: string | null; ended: boolean }>(
    fresh(key),
  );
  const [round, setRound] = useState(0);
  const known = games.key === key ? games : fresh(key);
  useEffect(() => {
    let wanted = true;
    const lines = [...known.lines];
    const show = (more: Partial<typeof games> = {}) =>
      wanted && setGames({ key, lines: [...lines], loading: true, error: null, ended: false, ...more });
    const load = async () => {
      const end = lines.length + step;
      for await (const line of read(lines.at(-1)?.cursor, step)) {
        if (!wanted) return;
        if ("game" in line) lines.push(line);
        if (lines.length % GLIMPSE === 0) show();
      }
      show({ loading: false, ended: lines.length < end });
    };
    if (key !== null) load().catch((error: Error) => show({ loading: false, error }));
    return () => void (wanted = false);
  }, [key, round]);
  const more = known.loading || known.ended ? null : () => setRound(round + 1);
  return { ...known, more };
}

const fresh = (key: string | null) => ({
  key,
  lines: [] as archive.GameLine[],
  loading: true,
  error: null,
  ended: false,
});
