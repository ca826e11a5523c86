/** Requests that wait for their answers, over as many connections as it takes (SPEC 2.6, 6.8). */

import { PASSING } from "./codes.js";
import { Refused } from "./errors.js";
import type { Ask, Line } from "./line.js";
import type { Ok } from "./messages.js";
import type { Pauses } from "./pauses.js";

interface Wish {
  request: Ask;
  attempt: number;
  delayed: ((error: Refused) => void) | undefined;
  resolve: (ok: Ok) => void;
  reject: (error: Error) => void;
}

export class Wishes {
  private readonly wishes = new Set<Wish>();
  private line: Line | null = null;

  constructor(private readonly pauses: Pauses) {}

  /** Ask until there is an answer; `delayed` is told of what passes. Rejects with Refused. */
  add(request: Ask, delayed?: (error: Refused) => void): Promise<Ok> {
    return new Promise((resolve, reject) => {
      const wish: Wish = { request, attempt: 0, delayed, resolve, reject };
      this.wishes.add(wish);
      this.attend(wish);
    });
  }

  /** There is another connection, on which all is asked again, or (null) none. */
  use(line: Line | null): void {
    this.line = line;
    for (const wish of this.wishes) this.attend(wish);
  }

  /** There will be no answers. */
  reject(error: Error): void {
    for (const wish of this.wishes) wish.reject(error);
    this.wishes.clear();
  }

  private attend(wish: Wish): void {
    const line = this.line;
    line?.ask(wish.request, (answer) => {
      if (answer.type === "error" && PASSING.has(answer.code)) {
        wish.delayed?.(new Refused(answer));
        return this.pauses.later(answer, wish.attempt, (next) => {
          wish.attempt = next;
          this.attend(wish);
        });
      }
      this.wishes.delete(wish);
      if (answer.type === "ok") wish.resolve(answer);
      else wish.reject(new Refused(answer));
    });
  }
}
