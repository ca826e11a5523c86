/** Requests that wait for their answers, over as many connections as it takes (SPEC 2.6, 6.8). */

import { PASSING } from "./codes.js";
import { Refused } from "./errors.js";
import type { Ask, Connection } from "./connection.js";
import type { Ok } from "./messages.js";
import type { Pauses } from "./pauses.js";

interface PendingRequest {
  request: Ask;
  attempt: number;
  delayed: ((error: Refused) => void) | undefined;
  resolve: (ok: Ok) => void;
  reject: (error: Error) => void;
}

export class PendingRequests {
  private readonly pending = new Set<PendingRequest>();
  private connection: Connection | null = null;

  constructor(private readonly pauses: Pauses) {}

  /** Whether no request waits. */
  get idle(): boolean {
    return this.pending.size === 0;
  }

  /** Send a request until there is an answer; `delayed` gets errors that pass. Rejects with Refused. */
  add(request: Ask, delayed?: (error: Refused) => void): Promise<Ok> {
    return new Promise((resolve, reject) => {
      const pending: PendingRequest = { request, attempt: 0, delayed, resolve, reject };
      this.pending.add(pending);
      this.attend(pending);
    });
  }

  /** Use another connection, and send all requests again on it; or (null) use none. */
  use(connection: Connection | null): void {
    this.connection = connection;
    for (const pending of this.pending) this.attend(pending);
  }

  /** Give up requests: they are not sent again. Each rejects with an `AbortError`. */
  cancel(which: (request: Ask) => boolean): void {
    for (const pending of [...this.pending].filter(({ request }) => which(request))) {
      this.pending.delete(pending);
      pending.reject(new DOMException("the request was cancelled", "AbortError"));
    }
  }

  /** Reject all requests: there will be no answers. */
  reject(error: Error): void {
    for (const pending of this.pending) pending.reject(error);
    this.pending.clear();
  }

  private attend(pending: PendingRequest): void {
    if (!this.pending.has(pending)) return; // cancelled while it paused
    const connection = this.connection;
    connection?.ask(pending.request, (answer) => {
      if (answer.type === "error" && PASSING.has(answer.code)) {
        pending.delayed?.(new Refused(answer));
        return this.pauses.later(answer, pending.attempt, (next) => {
          pending.attempt = next;
          this.attend(pending);
        });
      }
      this.pending.delete(pending);
      if (answer.type === "ok") pending.resolve(answer);
      else pending.reject(new Refused(answer));
    });
  }
}
