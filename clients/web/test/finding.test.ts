import { expect, test } from "vitest";
import type { Card } from "@pierule/client";
import { byPeople, roomToJoin } from "../src/home/finding";

const card = (room: string, at: number, name = "Ada", fields: Partial<Card> = {}): Card => ({
  room,
  game: "loose",
  size: 5,
  status: "open",
  names: [name, null],
  turn: 0,
  at,
  ...fields,
});

test("people come before bots, the newest first", () => {
  const cards = [card("old", 1), card("new", 3), card("bot", 9, "Bot (random)")];
  const found = (own: string[]) => roomToJoin(cards, "loose", 5, new Set(own));
  expect(found([])).toBe("new");
  expect(found(["new"])).toBe("old");
  expect(found(["new", "old"])).toBe("bot");
  expect(found(["new", "old", "bot"])).toBe(null);
  expect(byPeople([...cards].reverse()).map(({ room }) => room)).toEqual(["new", "old", "bot"]);
});

test("only what is open, and of that game and size", () => {
  const others = [
    card("a", 1, "Ada", { status: "running" }),
    card("b", 2, "Ada", { size: 7 }),
    card("c", 3, "Ada", { game: "taugo" }),
  ];
  expect(roomToJoin(others, "loose", 5, new Set())).toBe(null);
});
