/** When the page calls you: games that wait for you while you look elsewhere. Pure but for its bells. */

import type { MyGame } from "./home/merging";

/** How somebody is called. */
export interface Bells {
  /** Mark the page's icon with how many games wait; 0: with none. */
  mark(games: number): void;
  /** Say that it is your turn. */
  ring(game: MyGame): void;
  /** Take back what was said of a room. */
  hush(room: string): void;
}

/** Where somebody looks: at the page or elsewhere, and at which room. */
export interface Look {
  seen: boolean;
  room: string | null;
}

export class Calls {
  /** Where it is your turn; null: nothing was known yet, so nothing of it is news. */
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
