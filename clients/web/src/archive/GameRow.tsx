/** A finished game in a list. */

import type { archive } from "@pierule/client";
import { gameName, sizeText } from "../games/words";
import { clockText } from "../home/options";
import { gamePath } from "../route";
import { texts } from "../texts";
import { Became } from "./Beside";
import { PlayerLink } from "./PlayerLink";
import { resultOf } from "./record";
import { dayText, playerText, resultWords } from "./words";

export function GameRow({ game }: { game: archive.GameLine }) {
  const { archive, home } = texts.value;
  const { winner } = resultOf(game);
  const names = game.players.map(playerText);
  return (
    <li>
      <span class="what">
        <strong>{gameName(game.game)}</strong> {sizeText(game.game, game.size)}
        <span class="clock-text">{clockText(texts.value, game.clock)}</span>
      </span>
      <span class="names">
        {game.players.map((player, seat) => (
          <span key={seat}>
            {seat > 0 && ` ${home.versus} `}
            <span class={winner === seat ? "won" : ""}>
              <PlayerLink name={names[seat]!} of={player.id} />
            </span>
            {player.bot && <span class="tag">{home.bot}</span>}
            <Became rated={game.ratings?.[seat]} />
          </span>
        ))}
      </span>
      <span class="names">
        {resultWords(game)} · <time dateTime={new Date(game.ended).toISOString()}>{dayText(game.ended)}</time>
      </span>
      <a
        class="button"
        href={gamePath(game.feed)}
        aria-label={`${archive.replay}: ${names.join(` ${home.versus} `)}, ${dayText(game.ended)}`}
      >
        {archive.replay}
      </a>
    </li>
  );
}
