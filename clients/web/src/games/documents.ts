/**
 * The documents of games (SPEC 26) and their lessons: all that the page knows about a game. Each is loaded
 * when something on the screen first needs it, and again when the server names another one. A file never
 * changes, so the browser keeps it, and has it without a connection, too.
 */

import type { GameDocument, GameLessons } from "@pierule/client";
import { signal } from "@preact/signals";
import { Kept } from "../offline/kept";
import { client, known } from "../server";

/** The most files that are kept: one for each game, and one for its lessons. */
const MOST = 100;

const kept = new Kept<{ hash: string; file: unknown }>("documents", MOST);

/** Files of one kind by game, each under the hash that is wanted now. */
class Files<F> {
  /** Each game's file, or why there is none. */
  private readonly loaded = signal<ReadonlyMap<string, F | Error>>(new Map());
  /** The hash of the file that was last asked for, by game. */
  private readonly asked = new Map<string, string>();

  constructor(
    private readonly kind: string,
    private readonly load: (game: string, hash: string) => Promise<F>,
  ) {}

  get(game: string, hash: string): F | null {
    this.want(game, hash);
    const found = this.loaded.value.get(game);
    return found instanceof Error ? null : (found ?? null);
  }

  failure(game: string): Error | null {
    const found = this.loaded.value.get(game);
    return found instanceof Error ? found : null;
  }

  /** Ask again for files that could not be loaded. */
  retry(): void {
    for (const [game, found] of this.loaded.peek()) if (found instanceof Error) this.asked.delete(game);
  }

  private want(game: string, hash: string): void {
    if (this.asked.get(game) === hash) return;
    this.asked.set(game, hash);
    void this.find(game, hash)
      .catch((error: Error) => error)
      .then((found) => {
        if (this.asked.get(game) === hash) this.loaded.value = new Map(this.loaded.value).set(game, found);
      });
  }

  private async find(game: string, hash: string): Promise<F> {
    const key = `${game} ${this.kind}`;
    const held = hash ? await kept.get(key) : null;
    if (held?.hash === hash) return held.file as F;
    const file = await this.load(game, hash);
    if (hash && this.asked.get(game) === hash) void kept.put(key, { hash, file });
    return file;
  }
}

const documents = new Files<GameDocument>("document", (game) => client.game(game));
const lessons = new Files<GameLessons>("lessons", (game, hash) => client.lessons(game, hash));

/** A game's document; null while it is on its way, or if there is none. */
export function gameOf(game: string): GameDocument | null {
  const named = known.value?.games.find((each) => each.game === game);
  return known.value && documents.get(game, named?.hash ?? "");
}

/** Why a game's document could not be loaded; null if it was, or is on its way. */
export const failureOf = (game: string): Error | null => documents.failure(game);

/** A game's lessons; null while they are on their way, or if there are none. */
export const lessonsOf = ({ game, lessons_hash: hash }: GameDocument): GameLessons | null =>
  hash ? lessons.get(game, hash) : null;

/** Why a game's lessons could not be loaded; null if they were, or are on their way. */
export const lessonsFailure = (game: string): Error | null => lessons.failure(game);

// What one node could not give, the next one may.
client.welcomed(() => {
  documents.retry();
  lessons.retry();
});
