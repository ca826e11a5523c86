/** A name that leads to the player's page, where there is an archive. */

import { playerPath } from "../route";
import { isArchived } from "./source";

interface PlayerLinkProps {
  /** What is read: the player's name. */
  name: string;
  /** The id or the name by which the player is found; null if neither is known. */
  of: string | null;
}

export function PlayerLink({ name, of }: PlayerLinkProps) {
  if (!of || !isArchived.value) return <>{name}</>;
  return (
    <a class="player-link" href={playerPath(of)}>
      {name}
    </a>
  );
}
