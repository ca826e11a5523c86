/**
 * The documents of games (SPEC 26): all that this page knows of a game. Each is loaded when something
 * on the screen first needs it, and again when the server names another one. Its file never changes,
 * so the browser keeps it.
 */

import type { GameDocument } from "@pierule/client";
import { signal } from "@preact/signals";
import { client, welcome } from "../server";

/** By game its document, or why there is none. */
const loaded = signal<ReadonlyMap<string, GameDocument | Error>>(new Map());
/** By game the hash of what was asked for last. */
const asked = new Map<string, string>();

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
  void client
    .game(game)
    .catch((error: Error) => error)
    .then((found) => {
      if (asked.get(game) === hash) loaded.value = new Map(loaded.value).set(game, found);
    });
}

/** A game that a node could not tell of is asked for again at the next one. */
client.welcomed(() => {
  for (const [game, found] of loaded.peek()) if (found instanceof Error) asked.delete(game);
});
