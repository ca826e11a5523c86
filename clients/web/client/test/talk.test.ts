import { expect, test } from "vitest";
import { Talk } from "../src/index.js";
import type { Line } from "../src/messages.js";

const line = (seq: number, at = seq): Line => ({ seq, at, user: "eve", name: "Eve", text: `line ${seq}` });
const lines = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => line(first + i));
const heard = (talk: Talk) => talk.lines.map(({ channel, seq }) => `${channel[0]}${seq}`);

test("lines are heard once, in the order in which they were said", () => {
  const talk = new Talk();
  expect(talk.take("players", [line(4, 10), line(5, 30)])).toBeNull();
  expect(talk.take("spectators", [line(1, 20)])).toBeNull();
  expect(talk.take("players", [line(4, 10), line(5, 30), line(6, 40)])).toBeNull();
  expect(heard(talk)).toEqual(["p4", "s1", "p5", "p6"]);
});

test("a number that is missing is told, and what is behind it is not heard", () => {
  const talk = new Talk();
  talk.take("players", lines(1, 3));
  expect(talk.take("players", [line(6)])).toBe(4);
  expect(talk.last("players")).toBe(3);
  expect(talk.take("players", lines(5, 6), true)).toBeNull(); // the server has line 4 no more
  expect(heard(talk)).toEqual(["p1", "p2", "p3", "p5", "p6"]);
});

test("a line that is muted says so, and is heard again later", () => {
  const talk = new Talk();
  talk.take("players", lines(1, 2));
  talk.correct("players", [{ seq: 2, at: 2, user: "eve", name: "", text: null }]);
  expect(talk.lines.map(({ text }) => text ?? null)).toEqual(["line 1", null]);
  talk.correct("players", lines(2, 2));
  expect(talk.lines.map(({ text }) => text)).toEqual(["line 1", "line 2"]);
});

test("no more than 200 lines of a channel are kept", () => {
  const talk = new Talk();
  talk.take("players", lines(1, 250));
  expect(talk.lines).toHaveLength(200);
  expect(talk.lines[0]?.seq).toBe(51);
});
