/** How to draw clocks (SPEC 9.7), and the server's time. Pure: all times are arguments. */

import type { RoomState } from "./messages.js";

/** How a room is timed, as its state says. */
export type Control = NonNullable<RoomState["control"]>;
/** The clocks of a room, as its state says. */
export type Clock = NonNullable<RoomState["clock"]>;

/**
 * What a clock shows: main time in ms, the number of periods (including the running one), and how much of the
 * first period is left, in ms.
 */
export interface Left {
  main: number;
  periods: number;
  period: number;
}

/** A period's length in ms; 0 without periods, or if the control is not known (SPEC 15.3). */
function periodOf(control: Control): number {
  switch (control.kind) {
    case "byoyomi":
      return control.period * 1000;
    case "turnwise":
      return control.time * 1000;
    case "correspondence":
      return control.days * 86_400_000;
    default:
      return 0;
  }
}

/** What the clock of a seat shows at `now`, in ms of the store's time. */
export function timeLeft(control: Control, clock: Clock, seat: 0 | 1, now: number): Left {
  const hand = clock.hands[seat];
  const period = periodOf(control);
  const until = Math.min(now, clock.paused ?? now);
  const used = clock.running === seat ? Math.max(0, until - clock.started) : 0;
  const beyond = used - hand.main;
  if (beyond <= 0) return { main: hand.main - used, periods: hand.periods, period: hand.periods && period };
  if (!period) return { main: 0, periods: 0, period: 0 };
  const gone = Math.ceil(beyond / period) - 1;
  const periods = Math.max(0, hand.periods - gone);
  const left = Math.max(0, period - (beyond - gone * period));
  return { main: 0, periods, period: periods ? left : 0 };
}

/** How far two clocks may drift apart, in ms for each ms: ordinary quartz at its worst. */
const DRIFT = 1e-4;

/** How far the server's clock is ahead of ours, from the best ping so far; all in ms. */
export class ServerClock {
  offset: number | null = null;
  private error = 0;
  private taken = 0;

  /** Take a ping into account: when we sent it, when its answer came, and the server's time. */
  measured(sent: number, received: number, server: number): void {
    const offset = server - (sent + received) / 2;
    const error = (received - sent) / 2;
    if (this.offset !== null) {
      const kept = this.error + Math.max(0, received - this.taken) * DRIFT;
      // A ping that contradicts is right: one of the clocks was set, or this computer slept.
      if (error > kept && Math.abs(offset - this.offset) <= error + kept) return;
    }
    [this.offset, this.error, this.taken] = [offset, error, received];
  }

  /** Let the next ping count, whatever it says: another server may answer it. */
  restart(): void {
    this.taken = -Infinity;
  }
}
