/** Games of the archive, and a button for more. */

import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { texts } from "../texts";
import { GameRow } from "./GameRow";
import type { Games } from "./source";
import { Unanswered } from "./Unanswered";

const STEP = 50;

interface GameListProps {
  title: string;
  games: Games;
  /** What it says if the archive does not know what you look for. */
  unknown?: string;
  children?: ComponentChildren;
}

export function GameList({ title, games, unknown, children }: GameListProps) {
  const { archive, home } = texts.value;
  const [most, setMost] = useState(STEP);
  const rows = games.lines.slice(0, most);
  const { list, grow } = useNewFocus(rows.length);
  const more = () => {
    grow();
    if (most + STEP > games.lines.length) games.more?.();
    setMost(most + STEP);
  };
  const isMore = games.lines.length > most || (games.more && !games.error);
  return (
    <section class="list">
      <h2>{title}</h2>
      {children}
      <ul ref={list}>
        {rows.map((game) => (
          <GameRow key={game.feed} game={game} />
        ))}
      </ul>
      {!rows.length && !games.loading && !games.error && <p class="empty">{archive.empty}</p>}
      {(games.loading || games.error) && (
        <Unanswered error={games.error} again={() => games.more?.()} unknown={unknown ?? archive.empty} />
      )}
      {isMore && <button onClick={more}>{home.showMore}</button>}
    </section>
  );
}

/** Give the focus to the first row that comes after `grow`. */
function useNewFocus(count: number) {
  const list = useRef<HTMLUListElement>(null);
  const before = useRef<number | null>(null);
  useEffect(() => {
    const row = before.current === null ? null : list.current?.children[before.current];
    if (!row) return;
    before.current = null;
    row.querySelector<HTMLElement>("a")?.focus({ preventScroll: true });
  }, [count]);
  return { list, grow: () => void (before.current = count) };
}
