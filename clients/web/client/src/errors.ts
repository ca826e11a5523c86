/** Errors that last. After an error that passes, the client tries again, and does not throw it. */

import type { Error as ErrorMessage } from "./messages.js";

/** The server refused a request; `answer` has all that it said. */
export class Refused extends Error {
  constructor(readonly answer: ErrorMessage) {
    super(answer.text);
    this.name = "Refused";
  }

  get code(): string {
    return this.answer.code;
  }
}

/** The client has stopped: it may not connect again, or was closed. `code` is the close code. */
export class Stopped extends Error {
  constructor(
    message: string,
    readonly code: number | null = null,
  ) {
    super(message);
    this.name = "Stopped";
  }
}

/** A board differs from the server's, even after a fresh snapshot (SPEC 6.2). */
export class Desync extends Error {
  constructor(room: string) {
    super(`the board of room ${room} differs from the server's`);
    this.name = "Desync";
  }
}
