/** The buttons of a player's page: challenge the player, or block them. */

import type { archive as Archive } from "@pierule/client";
import { BlockButton } from "../account/Blocks";
import { blocked } from "../blockList";
import { asking } from "../home/asking";
import { welcome } from "../server";
import { texts } from "../texts";

/** Names that can be challenged: registered ones look like this, and those of guests do not. */
const NAME = /^(?!guest-)[a-z][a-z0-9_-]{1,23}$/i;

export function PlayerButtons({ player: { id, name, bot } }: { player: Archive.Player }) {
  const { home } = texts.value;
  const me = welcome.value?.user;
  if (!me || me === id || bot || name === null) return null;
  return (
    <p class="buttons">
      {NAME.test(name) && blocked.value.get(id) !== "block" && (
        <a class="button primary" href="#/" onClick={() => (asking.value = name)}>
          {home.challenge}
        </a>
      )}
      <BlockButton user={id} name={name} />
    </p>
  );
}
