/** The buttons of a player's page: challenge the player, or block them. */

import type { archive as Archive } from "@pierule/client";
import { BlockButton } from "../account/Blocks";
import { blocked } from "../blockList";
import { fillIn } from "../home/asking";
import { challengeable } from "../home/lately";
import { welcome } from "../server";
import { texts } from "../texts";

export function PlayerButtons({ player: { id, name, bot } }: { player: Archive.Player }) {
  const { home } = texts.value;
  const me = welcome.value?.user;
  if (!me || me === id || bot || name === null) return null;
  return (
    <p class="buttons">
      {challengeable(id, name, { bot, registered: true }) && blocked.value.get(id) !== "block" && (
        <a class="button primary" href="#/" onClick={() => fillIn(name)}>
          {home.challenge}
        </a>
      )}
      <BlockButton user={id} name={name} />
    </p>
  );
}
