/** The clocks of a game as its record gives them: the arithmetic of SPEC 9.4 to 9.6. Pure. */

import type { Clock, Control, LogRecord, RoomRecord, Seat } from "@pierule/client";

type Hand = Clock["hands"][number];

/** The clocks at a time, in ms since 1970. */
export interface Moment {
  at: number;
  clock: Clock;
  /** How much lag was compensated in the turn so far, in ms. */
  given: number;
}

export interface Clocks {
  /** By ply: the clocks as its position arose. */
  moments: readonly Moment[];
  /** The clocks after the last event. */
  final: Moment;
}

/** A control in one form for all kinds; all times in ms. */
interface Pace {
  main: number;
  increment: number;
  periods: number;
  period: number;
}

const SECOND = 1_000;
const DAY = 86_400_000;
/** The least main time, in ms, with which a Fischer clock begins. */
const FIRST_TURN = 3_000;
/** How long a pause lasts at most, in ms. */
const PAUSE_TIME = 600_000;

function paceOf(control: Control): Pace | null {
  const none = { main: 0, increment: 0, periods: 0, period: 0 };
  switch (control.kind) {
    case "fischer": {
      const increment = (control.increment ?? 0) * SECOND;
      return { ...none, main: control.main * SECOND || Math.max(increment, FIRST_TURN), increment };
    }
    case "byoyomi": {
      const { main, periods, period } = control;
      return { ...none, main: main * SECOND, periods, period: period * SECOND };
    }
    case "turnwise":
      return { ...none, periods: 1, period: control.time * SECOND };
    case "correspondence":
      return { ...none, periods: 1, period: control.days * DAY };
    default:
      return null;
  }
}

/** How much quota of lag a seat gains with each turn, in ms. */
const gainOf = ({ main, increment, period }: Pace): number =>
  Math.min(1_000, Math.floor((main + 40 * (increment || period)) / 250) + 150);

/** What a hand has left after so many ms of a turn. */
function used(hand: Hand, { period }: Pace, time: number): Hand {
  const beyond = time - hand.main;
  const lost = period && beyond > 0 ? Math.ceil(beyond / period) - 1 : 0;
  return { ...hand, main: Math.max(0, -beyond), periods: Math.max(0, hand.periods - lost) };
}

const withHand = (hands: Clock["hands"], seat: Seat, hand: Hand): Clock["hands"] =>
  seat ? [hands[0], hand] : [hand, hands[1]];

/** The clocks while a record is read. */
class Reading {
  hands: Clock["hands"];
  running: Seat | null = null;
  private started = 0;
  private given = 0;
  private paused: number | null = null;

  constructor(private readonly pace: Pace) {
    const { main, periods } = pace;
    const hand = { main, periods, quota: 3 * gainOf(pace) };
    this.hands = [hand, hand];
  }

  begin(seat: Seat, at: number): void {
    [this.running, this.started, this.given] = [seat, at, 0];
  }

  act(at: number, given: number, following: Seat | null): void {
    const { running } = this;
    if (running === null) return;
    this.given += given;
    if (following === running) return;
    this.hands = withHand(this.hands, running, this.settled(running, at - this.started));
    if (following === null) this.running = null;
    else this.begin(following, at);
  }

  private settled(seat: Seat, elapsed: number): Hand {
    const { pace } = this;
    const hand = this.hands[seat];
    const budget = hand.main + hand.periods * pace.period;
    const given = Math.max(Math.min(this.given, elapsed), elapsed - budget);
    const gain = gainOf(pace);
    const after = used(hand, pace, elapsed - given);
    const quota = Math.min(hand.quota + gain - given, 7 * gain);
    return { ...after, main: after.main + pace.increment, quota };
  }

  credit(from: number, to: number): void {
    if (this.running !== null) this.started += Math.max(0, this.until(to) - Math.max(from, this.started));
  }

  pause(at: number): void {
    this.paused = at;
  }

  resume(at: number): void {
    this.started += at - this.until(at);
    this.paused = null;
  }

  stop(at: number): void {
    const { running } = this;
    if (running === null) return;
    const hand = used(this.hands[running], this.pace, this.until(at) - this.started);
    this.hands = withHand(this.hands, running, hand);
    [this.running, this.paused] = [null, null];
  }

  /** Go back to a moment: the clocks show the same as then. */
  restore({ clock, given, at: then }: Moment, at: number): void {
    this.hands = clock.hands;
    this.running = clock.running;
    this.started = clock.started + at - then;
    this.given = given;
  }

  moment(at: number): Moment {
    const { hands, running, started, paused, given } = this;
    return { at, given, clock: { hands, running, started, deadline: this.deadline(), paused } };
  }

  private deadline(): number | null {
    if (this.running === null) return null;
    if (this.paused !== null) return this.paused + PAUSE_TIME;
    const { main, periods, quota } = this.hands[this.running];
    return this.started + main + periods * this.pace.period + quota;
  }

  private until(now: number): number {
    return Math.min(now, this.paused ?? now);
  }
}

interface Told {
  at: number;
  record: LogRecord;
}

/** Whose turn it is after an action: that of whoever acts next, if the action is not taken back before. */
function followingOf(told: readonly Told[], index: number, last: Seat | null): Seat | null {
  const next = told
    .slice(index + 1)
    .find(({ record: { kind } }) => kind === "acted" || kind === "taken_back");
  return next ? (next.record as { seat: Seat }).seat : last;
}

/** How many seats an event fills. */
function filledBy(record: LogRecord): number {
  if (record.kind === "created") return record.players ? 2 : Number(record.seat != null);
  return Number(record.kind === "seated");
}

/** The clocks of a record; null if it has none, or none that is known here. `last` is the seat to act in its
 * last position. */
export function clocksOf({ options, events }: RoomRecord, last: Seat | null): Clocks | null {
  const pace = options.control && paceOf(options.control);
  if (!pace || !events.length) return null;
  const told = events.map(({ at, record }): Told => ({ at, record: JSON.parse(record) as LogRecord }));
  const reading = new Reading(pace);
  const moments: Moment[] = [];
  const actors: Seat[] = [];
  let seats = 0;
  for (const [index, { at, record }] of told.entries()) {
    const filled = filledBy(record);
    seats += filled;
    if (filled && seats === 2) {
      reading.begin(0, at);
      moments.push(reading.moment(at));
    } else if (record.kind === "acted") {
      reading.act(at, record.given ?? 0, followingOf(told, index, last));
      actors.push(record.seat);
      moments.push(reading.moment(at));
    } else if (record.kind === "taken_back") {
      // It goes back to the turn of the player who asked, not of the player who allowed it (SPEC 19.4).
      while (actors.length && actors.pop() === record.seat);
      const then = moments[actors.length];
      if (!then) return null; // no room has such events
      reading.restore(then, at);
      moments.splice(actors.length, moments.length, reading.moment(at));
    } else read(reading, record, at);
  }
  return { moments, final: reading.moment(told.at(-1)!.at) };
}

/** What the other events do to the clocks. */
function read(reading: Reading, record: LogRecord, at: number): void {
  switch (record.kind) {
    case "credited":
      return reading.credit(record.lost_from, record.lost_to);
    case "paused":
      return reading.pause(at);
    case "resumed":
      return reading.resume(at);
    case "resigned":
    case "flagged":
    case "aborted":
    case "claimed":
    case "drawn":
    case "closed":
      return reading.stop(at);
  }
}
