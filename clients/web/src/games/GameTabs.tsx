/** Tabs that lead to a screen of each game. */

import { gameName } from "./words";

interface GameTabsProps {
  label: string;
  games: readonly string[];
  chosen: string | undefined;
  /** The address of a game's screen. */
  path: (game: string) => string;
}

export const GameTabs = ({ label, games, chosen, path }: GameTabsProps) => (
  <nav class="tabs" aria-label={label}>
    {games.map((game) => (
      <a key={game} href={path(game)} aria-current={game === chosen ? "page" : undefined}>
        {gameName(game)}
      </a>
    ))}
  </nav>
);
