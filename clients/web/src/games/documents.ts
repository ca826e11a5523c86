/**
 * The documents of games (SPEC 26): all that this page knows of a game. Each is loaded when something
 * on the screen first needs it, and again when the server names another one. Its file never changes,
 * so the browser keeps it.
 */

import type { GameDocument } from "@pierule/client";
import { signal } from "@preact/signals";
import { address, client, welcome } from "../server";

/** By game its document, or why there is none. */
const loaded = signal<ReadonlyMap<string, GameDocument | Error>>(new Map());
/** By game the hash of what was asked for last. */
const asked = new Map<string, string>();

/** How long a file may take before the node itself is asked, in ms. */
const PATIENCE = 10_000;

/** A game's document; null while it is on its way, or if there is none. */
export function gameOf(game: string): GameDocument | null {
  want(game);
  const found = loaded.value.get(game);
  return found instanceof Error ? null : (found ?? null);
}

/** Why there is no document of a game; null if there is one, or may be one yet. */
export function failureOf(game: string): Error | null {
  const found = loaded.value.get(game);
  return found instanceof Error ? found : null;
}

function want(game: string): void {
  if (!welcome.value) return;
  const hash = welcome.value.games.find((each) => each.game === game)?.hash ?? "";
  if (asked.get(game) === hash) return;
  asked.set(game, hash);
  void load(game, hash)
    .catch((error: Error) => error)
    .then((found) => {
      if (asked.get(game) === hash) loaded.value = new Map(loaded.value).set(game, found);
    });
}

/** A game that a node could not tell of is asked for again at the next one. */
client.welcomed(() => {
  for (const [game, found] of loaded.peek()) if (found instanceof Error) asked.delete(game);
});

/** During an update the file can be at another node: then this one is asked (SPEC 26.2). */
async function load(game: string, hash: string): Promise<GameDocument> {
  const file = hash && (await fileOf(game, hash));
  return file || read((await client.request({ type: "game", game })).document ?? "");
}

async function fileOf(game: string, hash: string): Promise<GameDocument | null> {
  const url = new URL(`/games/${encodeURIComponent(game)}/${hash}.json`, address().replace(/^ws/, "http"));
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(PATIENCE), credentials: "omit" });
    return response.ok ? read(await response.text()) : null;
  } catch {
    return null; // no network, or no document
  }
}

/** Read a document. Throws if it is none. */
function read(text: string): GameDocument {
  const document = JSON.parse(text) as GameDocument;
  if (document.format !== "pierule.game") throw new Error("the document of this game is none");
  return document;
}
