/** Pauses of requests that were refused for now (SPEC 7). A pause ends after its time, when the store is
 * back, or with the connection. */

import { retryDelay } from "./backoff.js";
import type { Environment } from "./environment.js";
import type { Error as ErrorMessage } from "./messages.js";

/** `again` gets the number of the attempt. */
interface Pause {
  code: string;
  again: (attempt: number) => void;
  cancel: () => void;
}

export class Pauses {
  private readonly pauses = new Set<Pause>();

  constructor(private readonly environment: Environment) {}

  /** Call `again` once a passing error may be over, unless the connection ends before. */
  later(error: ErrorMessage, attempt: number, again: Pause["again"]): void {
    const pause: Pause = { code: error.code, again, cancel() {} };
    this.pauses.add(pause);
    const delay = retryDelay(attempt, this.environment.random());
    this.schedule(pause, (error.retry_ms ?? 0) + delay, attempt + 1);
  }

  /** The store is back: end the pauses that waited for it soon, each after a random time. */
  hurry(): void {
    for (const pause of this.pauses)
      if (pause.code === "unavailable") this.schedule(pause, retryDelay(0, this.environment.random()), 0);
  }

  /** The connection has ended. */
  end(): void {
    for (const pause of this.pauses) pause.cancel();
    this.pauses.clear();
  }

  private schedule(pause: Pause, delay: number, attempt: number): void {
    pause.cancel();
    pause.cancel = this.environment.after(delay, () => {
      this.pauses.delete(pause);
      pause.again(attempt);
    });
  }
}
