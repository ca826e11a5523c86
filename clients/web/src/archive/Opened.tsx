/** The games that you opened in this browser. It can show them without a connection. */

import { useEffect, useState } from "preact/hooks";
import { keptGames, type KeptGame } from "../offline/games";
import { texts } from "../texts";
import { GameRow } from "./GameRow";

export function Opened() {
  const { offline } = texts.value;
  const [games, setGames] = useState<KeptGame[] | null>(null);
  useEffect(() => void keptGames.all().then(setGames), []);
  return (
    <section class="list" aria-labelledby="opened">
      <h2 id="opened">{offline.opened}</h2>
      <ul>
        {games?.map(({ game }) => (
          <GameRow key={game.feed} game={{ ...game, cursor: `${game.feed}` }} />
        ))}
      </ul>
      {games?.length === 0 && <p class="empty">{offline.noneOpened}</p>}
    </section>
  );
}
