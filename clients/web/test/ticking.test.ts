import { expect, test } from "vitest";
import { untilNext } from "../src/room/ticking";

test("a clock is drawn again only when it shows something else", () => {
  expect(untilNext(60_000)).toBe(1000);
  expect(untilNext(59_001)).toBe(1);
  expect(untilNext(12_345)).toBe(345);
  expect(untilNext(10_001)).toBe(1);
  expect(untilNext(10_000)).toBe(100);
  expect(untilNext(9_950)).toBe(50);
});

test("a clock whose time is over is looked at again", () => expect(untilNext(0)).toBe(100));
