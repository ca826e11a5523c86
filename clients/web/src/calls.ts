/** When the page calls you: games that wait for you while you look elsewhere. Pure but for its bells. */

import type { MyGame } from "./home/merging";

/** The ways to call you. */
export interface Bells {
  /** Mark the page's icon with the number of games that wait; 0: without a mark. */
  mark(games: number): void;
  /** Say that it is your turn. */
  ring(game: MyGame): void;
  /** Take the call for a room back. */
  hush(room: string): void;
}

/** Where you look: whether you see the page, and which room it shows. */
export interface Look {
  seen: boolean;
  room: string | null;
}

export class Calls {
  /** The rooms in which it was your turn; null before the first list, which is no news. */
  private due: ReadonlySet<string> | null = null;
  private rung = new Set<string>();

  constructor(private readonly bells: Bells) {}

  know(games: readonly MyGame[], { seen, room }: Look): void {
    const waiting = games.filter((game) => game.mine && game.status === "running");
    const due = new Set(waiting.map((game) => game.room));
    for (const each of [...this.rung])
      if (!due.has(each) || (seen && each === room)) {
        this.rung.delete(each);
        this.bells.hush(each);
      }
    for (const game of waiting) {
      if (seen || !this.due || this.due.has(game.room)) continue;
      this.rung.add(game.room);
      this.bells.ring(game);
    }
    this.due = due;
    this.bells.mark(waiting.filter((game) => !seen || game.room !== room).length);
  }
}
