/** Waits of requests that were refused for now (SPEC 7): they end by themselves, or when the store
 * is there again, or with the connection. */

import { retryDelay } from "./backoff.js";
import type { Error as ErrorMessage } from "./messages.js";

/** `again` is told the number of the attempt. */
interface Pause {
  code: string;
  again: (attempt: number) => void;
  timer: ReturnType<typeof setTimeout> | undefined;
}

export class Pauses {
  private readonly pauses = new Set<Pause>();

  /** Do something once a passing error may be over, if the connection still stands then. */
  later(error: ErrorMessage, attempt: number, again: Pause["again"]): void {
    const pause: Pause = { code: error.code, again, timer: undefined };
    this.pauses.add(pause);
    this.schedule(pause, (error.retry_ms ?? 0) + retryDelay(attempt, Math.random()), attempt + 1);
  }

  /** The store is there again: what it was wanted for is asked soon, and by all at random. */
  hurry(): void {
    for (const pause of this.pauses)
      if (pause.code === "unavailable") this.schedule(pause, retryDelay(0, Math.random()), 0);
  }

  /** The connection has ended. */
  end(): void {
    for (const pause of this.pauses) clearTimeout(pause.timer);
    this.pauses.clear();
  }

  private schedule(pause: Pause, delay: number, attempt: number): void {
    clearTimeout(pause.timer);
    pause.timer = setTimeout(() => {
      this.pauses.delete(pause);
      pause.again(attempt);
    }, delay);
  }
}
