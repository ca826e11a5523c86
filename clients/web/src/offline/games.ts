/**
 * The finished games that were opened here: each with the positions and the account that the server told
 * of it, because a browser has no rules. They follow from the game, so what was told once stays true.
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

/** What tells of the boards of a line. */
export interface Boards {
  replay: (line: Line, first?: number) => Promise<PositionState[]>;
  account: (line: Line) => Promise<Account>;
}

export class KeptGames {
  private readonly kept: Kept<KeptGame>;
  /** The changes so far: one after the other, so that none undoes another. */
  private changes = Promise.resolve();

  constructor(storage?: CacheStorage) {
    this.kept = new Kept("games", MOST, storage ?? globalThis.caches);
  }

  /** All of them, the one that was opened last first. */
  all(): Promise<KeptGame[]> {
    return this.kept.all();
  }

  /** A game by its feed number, or the latest of its room; null: it was not opened here. */
  async find(name: string): Promise<KeptGame | null> {
    if (/^\d+$/.test(name)) return this.kept.get(name);
    const found = (await this.all()).filter(({ game }) => game.room === name);
    return found.sort((one, other) => other.game.feed - one.game.feed)[0] ?? null;
  }

  /** The game as the archive tells it, or without an answer as it is kept. */
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

  /** What is kept of a game's boards, and what `server` tells of them, which is kept then. */
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

/** What is kept under a game's number, if it is of this game: after its data was lost, a server may have given the
 * number to another one. */
function ownOf(game: archive.WholeGame, kept: KeptGame | null): KeptGame | null {
  const chainOf = ({ events }: archive.WholeGame) => events.at(-1)?.chain;
  return kept?.game.room === game.room && chainOf(kept.game) === chainOf(game) ? kept : null;
}

export const keptGames = new KeptGames();
