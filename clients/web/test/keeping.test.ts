import { expect, test } from "vitest";
import type { archive } from "@pierule/client";
import { webhookOf } from "../src/account/webhookOf";
import { wholeGames } from "../src/archive/whole";

const telling = (...lines: object[]) => ({
  downloadAccount: async () => ({ lines: lines.map((line) => JSON.stringify(line)) }),
});

test("the webhook is what the server stores", async () => {
  const url = "https://example.org/turns";
  expect(await webhookOf(telling({ kind: "account", user: "ada", webhook: url }))).toBe(url);
  expect(await webhookOf(telling({ kind: "account", user: "ada", webhook: null }))).toBeNull();
  expect(await webhookOf(telling({ kind: "block", webhook: url }))).toBeNull();
});

async function* lines(...feeds: number[]) {
  for (const feed of feeds) yield { feed } as archive.GameLine;
}
const source = { game: async (feed: number) => ({ feed, actions: ["c3"] }) as unknown as archive.WholeGame };

test("games are kept whole, one to a line", async () => {
  const told: number[] = [];
  const { signal } = new AbortController();
  const text = await wholeGames(lines(7, 9), source, (games) => told.push(games), signal);
  expect(text.split("\n").map((line) => line && JSON.parse(line).feed)).toEqual([7, 9, ""]);
  expect(told).toEqual([1, 2]);
});

test("leaving ends the requests", async () => {
  const leaving = new AbortController();
  const told: number[] = [];
  const leave = (games: number) => {
    told.push(games);
    leaving.abort();
  };
  await expect(wholeGames(lines(7, 8, 9), source, leave, leaving.signal)).rejects.toThrow();
  expect(told).toEqual([1]);
});
