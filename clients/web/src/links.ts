/**
 * Links to give to others. What everybody may find has a path, so that crawlers can show a preview
 * (SPEC 29). Everything else stays behind `#`, which no server and no log ever sees.
 */

import type { archive, RoomState } from "@pierule/client";
import { gamePath, playerPath, root, roomPath } from "./route";
import { isElsewhere } from "./server";

const link = (path: string): string => new URL(path, root).href;

/** A path; the hash if the page has another server than its own, because only its own answers paths. */
const published = (kind: "game" | "player", name: string, hash: string): string =>
  link(isElsewhere ? hash : `${kind}/${encodeURIComponent(name)}`);

/** The link to a room; to a private one, with its invitation. */
export const roomLink = ({ room, access }: RoomState, invitation: string | null): string =>
  access === "public" ? published("game", room, roomPath(room)) : link(roomPath(room, invitation));

/** The link to a finished game of the archive, by the room or the number by which it was found. */
export const gameLink = ({ access }: archive.WholeGame, name: string): string =>
  access === "public" ? published("game", name, gamePath(name)) : link(gamePath(name));

/** The link to a player's page, by id if the name alone could mean somebody else. */
export function playerLink({ id, name, namesakes }: archive.Player): string {
  const of = name === null || namesakes?.length ? id : name;
  return published("player", of, playerPath(of));
}
