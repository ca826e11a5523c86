/** The button that leads from the lessons to a first game. */

import type { GameDocument } from "@pierule/client";
import { sizeText } from "../games/words";
import { useLobby } from "../lobby";
import { once } from "../pressing";
import { texts } from "../texts";
import { playFirst, smallest } from "./first";

export function PlayFirst({ game }: { game: GameDocument }) {
  const { learn } = texts.value;
  const known = useLobby() !== null;
  return (
    <>
      {/* It waits for the lobby, which says which bots are free. A disabled button would lose the focus. */}
      <button class="primary big" aria-disabled={!known} onClick={once(() => playFirst(game))}>
        {learn.play}
      </button>
      <p class="hint-text">{learn.playHint(sizeText(game.game, smallest(game)))}</p>
    </>
  );
}
