/** A game's document (how it looks, and its texts) and its lessons (SPEC 26.1, 26.2, 26.16). */

import { get } from "./http.js";
import type { GameDocument, GameLessons } from "./messages.js";
import type { Session } from "./session.js";

/** The document of a game: the server's file, or, if that cannot be had, the answer to `game`. */
export async function gameDocument(session: Session, game: string): Promise<GameDocument> {
  const { games } = await session.online();
  const hash = games.find((each) => each.game === game)?.hash;
  return found(session, "pierule.game", game, hash, false);
}

/** The lessons of a game, by the hash in its document; found in the same two ways. */
export async function gameLessons(session: Session, game: string, hash: string): Promise<GameLessons> {
  await session.online();
  return found(session, "pierule.lessons", game, hash, true);
}

type Part = GameDocument | GameLessons;

async function found<P extends Part>(
  session: Session,
  format: P["format"],
  game: string,
  hash: string | undefined,
  lessons: boolean,
): Promise<P> {
  const wanted = (text: string) => read<P>(text, format, game);
  const file = hash ? await fileOf(session, `/games/${game}/${hash}.json`, wanted) : null;
  if (file) return file;
  const { document } = await session.request({ type: "game", game, ...(lessons && { lessons }) });
  const answer = wanted(document ?? "");
  if (!answer) throw new Error(`the server's ${format} of the game ${game} cannot be read`);
  return answer;
}

/** null: a node answered that does not have this file, or none answered. */
async function fileOf<P>(
  { environment, url }: Session,
  path: string,
  wanted: (text: string) => P | null,
): Promise<P | null> {
  try {
    return await get(environment, new URL(path, url).href, "default", async (response) =>
      response.ok ? wanted(await response.text()) : null,
    );
  } catch {
    return null;
  }
}

function read<P extends Part>(text: string, format: P["format"], game: string): P | null {
  try {
    const part = JSON.parse(text) as Partial<P> | null;
    return part?.format === format && part.game === game ? (part as P) : null;
  } catch {
    return null;
  }
}
