/** The server's time, kept by pings once somebody has asked for it (SPEC 9.7). */

import { ServerClock } from "./clocks.js";
import type { Connection } from "./connection.js";
import type { Environment } from "./environment.js";

const PINGS = 5;
const PING_GAP = 200;
const PING_REST = 60_000;

export class Timekeeper {
  private readonly clock = new ServerClock();
  private connection: Connection | null = null;
  private wanted = false;
  private cancel = () => {};

  constructor(private readonly environment: Environment) {}

  /** The store's time in ms since 1970; until a ping is answered, this computer's time. */
  now(): number {
    if (!this.wanted) {
      this.wanted = true;
      this.ping(PINGS);
    }
    const { offset } = this.clock;
    return offset === null ? this.environment.now() : this.environment.elapsed() + offset;
  }

  /** Use another connection, or (null) none. */
  use(connection: Connection | null): void {
    this.cancel();
    this.connection = connection;
    this.clock.restart();
    if (this.wanted) this.ping(PINGS);
  }

  private ping(left: number): void {
    this.cancel();
    const sent = this.environment.elapsed();
    this.connection?.ask({ type: "ping" }, (answer) => {
      if (answer.type === "ok" && answer.now)
        this.clock.measured(sent, this.environment.elapsed(), answer.now);
      const next = left > 1 ? left - 1 : PINGS;
      this.cancel = this.environment.after(left > 1 ? PING_GAP : PING_REST, () => this.ping(next));
    });
  }
}
