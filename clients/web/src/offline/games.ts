/**
 * The finished games that you opened here, each with the positions and the account that the server sent,
 * because a browser has no rules. They follow from the game, so they stay true.
 */

import type { Account, archive, Line, PositionState } from "@pierule/client";
import { Kept } from "./kept";

export interface KeptGame {
  game: archive.WholeGame;
  positions: PositionState[] | null;
  account: Account | null;
}

/** The most games that are kept: some 5 MB if they are long. */
const MOST = 50;

/** Where the boards of a line come from. */
export interface Boards {
  replay: (line: Line, first?: number) => Promise<PositionState[]>;
  account: (line: Line) => Promise<Account>;
}

export class KeptGames {
  private readonly kept: Kept<KeptGame>;
  /** The end of all changes so far. Each waits for the one before, so that none undoes another. */
  private changes = Promise.resolve();

  constructor(storage?: CacheStorage) {
    this.kept = new Kept("games", MOST, storage ?? globalThis.caches);
  }

  /** All games; the one that you opened last comes first. */
  all(): Promise<KeptGame[]> {
    return this.kept.all();
  }

  /** A game by its feed number, or the latest one of a room; null: you have not opened it here. */
  async find(name: string): Promise<KeptGame | null> {
    if (/^\d+$/.test(name)) return this.kept.get(name);
    const found = (await this.all()).filter(({ game }) => game.room === name);
    return found.sort((one, other) => other.game.feed - one.game.feed)[0] ?? null;
  }

  /** The game from the archive; if the archive does not answer (`isUnheard`), from this browser. */
  async open(
    name: string,
    ask: () => Promise<archive.WholeGame>,
    isUnheard: (error: unknown) => boolean,
  ): Promise<archive.WholeGame> {
    try {
      const game = await ask();
      this.change(game.feed, (before) => ({ positions: null, account: null, ...ownOf(game, before), game }));
      return game;
    } catch (error) {
      const found = isUnheard(error) ? await this.find(name) : null;
      if (!found) throw error;
      return found.game;
    }
  }

  /** The boards of a game: those that are kept, and otherwise those of the `server`, which are kept then. */
  boards(game: archive.WholeGame, server: Boards): Boards {
    const told = async <K extends "positions" | "account">(
      what: K,
      ask: () => Promise<NonNullable<KeptGame[K]>>,
    ): Promise<NonNullable<KeptGame[K]>> => {
      const held = ownOf(game, await this.kept.get(`${game.feed}`))?.[what];
      if (held) return held;
      const answer = await ask();
      this.change(game.feed, (before) => ownOf(game, before) && { ...before!, [what]: answer });
      return answer;
    };
    return {
      replay: async (line, first = 0) => (await told("positions", () => server.replay(line))).slice(first),
      account: (line) => told("account", () => server.account(line)),
    };
  }

  private change(feed: number, to: (before: KeptGame | null) => KeptGame | null): void {
    this.changes = this.changes.then(async () => {
      const next = to(await this.kept.get(`${feed}`));
      if (next) await this.kept.put(`${feed}`, next);
    });
  }
}

/** What is kept under a game's number, if it belongs to this game: a server that lost its data may have
 * given the number to another one. */
function ownOf(game: archive.WholeGame, kept: KeptGame | null): KeptGame | null {
  const chainOf = ({ events }: archive.WholeGame) => events.at(-1)?.chain;
  return kept?.game.room === game.room && chainOf(kept.game) === chainOf(game) ? kept : null;
}

export const keptGames = new KeptGames();
