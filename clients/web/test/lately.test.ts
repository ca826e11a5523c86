import { expect, test } from "vitest";
import { challengeable, challengeableIn, latelyOf } from "../src/home/lately";

test("people with a name of their own can be challenged, and neither bots nor guests", () => {
  expect(challengeable("1", "Ada-7", { registered: true })).toEqual({ user: "1", name: "Ada-7" });
  expect(challengeable("1", "Ada-7", { bot: true, registered: true })).toBeNull();
  expect(challengeable("p0123456789abcdef01234567", "Ada", { registered: true })).toBeNull();
  for (const name of [null, "guest-1f", "Ada L.", "7up", "A"])
    expect(challengeable("1", name, { registered: true })).toBeNull();
});

test("only players with registered names can be challenged", () => {
  const holder = { user: "1", name: "Ada" };
  expect(challengeableIn({ ...holder, registered: true })).toEqual(holder);
  expect(challengeableIn(holder)).toBeNull();
  expect(challengeableIn({ ...holder, registered: true, bot: true })).toBeNull();
  expect(challengeableIn(null)).toBeNull();
});

test("recent opponents are each offered once, by their latest name, and not whom you would not ask", () => {
  const of = (user: string, name: string) => ({ user, name });
  const people = [of("1", "Ada"), null, of("2", "Bo"), of("1", "Adele"), of("3", "Cy")];
  expect(latelyOf(people, (user) => user === "3")).toEqual([of("1", "Ada"), of("2", "Bo")]);
  const many = Array.from({ length: 20 }, (_, at) => of(`${at}`, `P${at}`));
  expect(latelyOf(many, () => false).map(({ name }) => name)).toEqual(["P0", "P1", "P2", "P3", "P4", "P5"]);
});
