import { expect, test } from "vitest";
import { ServerClock, timeLeft, type Clock, type Control, type Left } from "../src/clocks.js";
import { load } from "./vectors.js";

interface LeftCase {
  control: Control;
  clock: Clock;
  now: number;
  left: Left;
}

test.each<LeftCase>(load("clocks").left)("left at $now", ({ control, clock, now, left }) => {
  expect(timeLeft(control, clock, clock.running!, now)).toEqual(left);
});

test("a paused clock stands still", () => {
  const hand = { main: 5000, periods: 0, quota: 0 };
  const clock: Clock = { hands: [hand, hand], running: 0, started: 1000, deadline: null, paused: 2000 };
  const left = (now: number) => timeLeft({ kind: "fischer", main: 5 }, clock, 0, now).main;
  expect([1500, 2000, 9000].map(left)).toEqual([4500, 4000, 4000]);
});

test.each<any>(load("clocks").begin)("a fresh $control.kind clock", ({ control, hand, started }) => {
  const clock: Clock = { hands: [hand, hand], running: 0, started, deadline: null };
  const { main, periods } = timeLeft(control, clock, 0, started);
  expect({ main, periods }).toEqual({ main: hand.main, periods: hand.periods });
});

test("a control that is not known shows main time alone", () => {
  const hand = { main: 5000, periods: 0, quota: 0 };
  const clock: Clock = { hands: [hand, hand], running: 1, started: 0, deadline: null };
  const control = { kind: "hourglass" } as unknown as Control;
  expect(timeLeft(control, clock, 1, 2000)).toEqual({ main: 3000, periods: 0, period: 0 });
});

test.each<any>(load("clocks").offset)("the offset of $pings.length pings", ({ pings, offset }) => {
  const clock = new ServerClock();
  for (const { sent, received, now } of pings) clock.measured(sent, received, now);
  expect(clock.offset).toBe(offset);
});
