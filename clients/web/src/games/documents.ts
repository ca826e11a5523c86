/**
 * The documents of games (SPEC 26) and their lessons: all that this page knows of a game. Each is loaded
 * when something on the screen first needs it, and again when the server names another one. Its file
 * never changes, so the browser keeps it, also for times without a connection.
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
  /** By game its file, or why there is none. */
  private readonly loaded = signal<ReadonlyMap<string, F | Error>>(new Map());
  /** By game the hash of what was asked for last. */
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

  /** What could not be had is asked for again. */
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

/** Why there is no document of a game; null if there is one, or may be one yet. */
export const failureOf = (game: string): Error | null => documents.failure(game);

/** A game's lessons; null while they are on their way, or if there are none. */
export const lessonsOf = ({ game, lessons_hash: hash }: GameDocument): GameLessons | null =>
  hash ? lessons.get(game, hash) : null;

/** Why the lessons that a game has are not there, if they cannot be had. */
export const lessonsFailure = (game: string): Error | null => lessons.failure(game);

/** A game that a node could not tell of is asked for again at the next one. */
client.welcomed(() => {
  documents.retry();
  lessons.retry();
});
