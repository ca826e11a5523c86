/** How a game looks and what it says (SPEC 26.1, 26.2). */

import { get } from "./http.js";
import type { GameDocument } from "./messages.js";
import type { Session } from "./session.js";

/** The document of a game: the server's file if it can be had, else the answer to `game`. */
export async function gameDocument(session: Session, game: string): Promise<GameDocument> {
  const { games } = await session.online();
  const hash = games.find((each) => each.game === game)?.hash;
  const file = hash ? await fileOf(session, `/games/${game}/${hash}.json`, game) : null;
  if (file) return file;
  const { document } = await session.request({ type: "game", game });
  const answer = read(document ?? "", game);
  if (!answer) throw new Error(`the server's document of the game ${game} cannot be read`);
  return answer;
}

/** null: another node answered that does not have this file, or nobody did. */
async function fileOf(
  { environment, url }: Session,
  path: string,
  game: string,
): Promise<GameDocument | null> {
  try {
    return await get(environment, new URL(path, url).href, "default", async (response) =>
      response.ok ? read(await response.text(), game) : null,
    );
  } catch {
    return null;
  }
}

function read(text: string, game: string): GameDocument | null {
  try {
    const document = JSON.parse(text) as Partial<GameDocument> | null;
    const sound = document?.format === "pierule.game" && document.game === game;
    return sound ? (document as GameDocument) : null;
  } catch {
    return null;
  }
}
