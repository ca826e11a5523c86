/** What somebody looks for in the archive, and how a player's games went. */

import { expect, test } from "vitest";
import type { archive } from "@pierule/client";
import { recordOfGame } from "../src/archive/record";
import { countingOf, cutsOf, isBackward, searchOf } from "../src/archive/searching";
import { frequent, tallyOf } from "../src/archive/tally";

const DAY = 86_400_000;

test("a search takes the days that it names, and the latest games first", () => {
  expect(
    searchOf({
      player: "Ada",
      bot: "false",
      since: "2026-01-30",
      until: "2026-01-31",
      rating: "1600",
      odd: "1",
    }),
  ).toEqual({
    min_plies: 0,
    player: "Ada",
    bot: "false",
    min_rating: 1600,
    since: Date.UTC(2026, 0, 30),
    until: Date.UTC(2026, 0, 31) + DAY,
    order: "desc",
  });
  expect(searchOf({ game: "", since: "2026-1-1", until: "never", rating: "high" })).toEqual({
    min_plies: 0,
    order: "desc",
  });
});

test("cuts count in whole months", () => {
  expect(countingOf({ size: "9", since: "2026-01", until: "2026-13", bot: "true", rating: "1600" })).toEqual({
    size: 9,
    since: "2026-01",
    bot: true,
    rating: 1600,
    limit: 500,
  });
  expect(countingOf({ rating: "high" })).toEqual({ limit: 500 });
});

/** An archive in which a board of size 6 has this many cuts, and where the latest game was on a board of
 * this size; and which boards it was asked for. */
function cutsIn(cuts: number, latest: number | null) {
  const boards: (number | undefined)[] = [];
  const source = {
    cuts: async (_: string, { size }: archive.Offering = {}) => {
      boards.push(size);
      return { size: size ?? 9, cuts: Array(size === 6 ? cuts : 7).fill({}) } as archive.Cuts;
    },
    async *games() {
      yield { private: true } as unknown as archive.Line;
      if (latest) yield { game: "loose", size: latest } as archive.GameLine;
    },
  };
  return { boards, source };
}

test("cuts are shown where games are, unless a board was asked for", async () => {
  const sizes = async (cuts: number, latest: number | null, size?: number) => {
    const { boards, source } = cutsIn(cuts, latest);
    return [(await cutsOf(source, "loose", { bot: false, ...(size && { size }) }, 6)).size, boards];
  };
  expect(await sizes(3, 5)).toEqual([6, [6]]); // the board that the page offers
  expect(await sizes(0, 5)).toEqual([5, [6, 5]]);
  expect(await sizes(0, 5, 7)).toEqual([7, [7]]);
  expect(await sizes(0, 5, 6)).toEqual([6, [6]]);
  expect(await sizes(0, 6)).toEqual([6, [6]]);
  expect(await sizes(0, null)).toEqual([6, [6]]);
});

test("a search that ends before it begins is known, and what is no date does not count", () => {
  expect(isBackward({ since: "2026-02-01", until: "2026-01-31" })).toBe(true);
  expect(isBackward({ since: "2026-02", until: "2026-01" })).toBe(true);
  expect(isBackward({ since: "2026-01-31", until: "2026-01-31" })).toBe(false);
  expect(isBackward({ since: "2026-02-01" })).toBe(false);
  expect(isBackward({ until: "2026-01-31", since: "" })).toBe(false);
  expect(isBackward({ since: "soon", until: "2026-01-31" })).toBe(false);
});

interface Played {
  seats?: [string, string];
  winner?: 0 | 1 | "draw" | null;
  black?: number | null;
  month?: number;
  cut?: string;
  voided?: boolean;
}

const line = ({ seats = ["a", "b"], winner = 0, black = 0, month = 0, cut = "x", voided }: Played) =>
  ({
    game: "rocks",
    size: 5,
    players: seats.map((id) => ({ id, name: id, bot: false })),
    result: { winner, reason: "played" },
    amendment: voided ? { kind: "void" } : null,
    black,
    cut,
    ended: Date.UTC(2026, month, 15),
  }) as unknown as archive.GameLine;

test("a player's games are counted by color, role, cut and month", () => {
  const tally = tallyOf(
    [
      line({ month: 3, winner: 0 }),
      line({ month: 3, winner: 1, seats: ["b", "a"], cut: "y" }),
      line({ month: 1, winner: 0, seats: ["b", "a"], black: 1, cut: "y" }),
      line({ month: 0, winner: "draw", cut: "y" }),
      line({ month: 0, winner: 0, voided: true }),
      line({ month: 0, winner: null, black: null }),
      line({ month: -1, winner: 1, seats: ["a", "a"] }),
    ],
    "a",
  );
  expect(tally.all).toEqual({ games: 7, won: 2, lost: 1, draws: 1 });
  expect(tally.color.get("black")).toEqual({ games: 4, won: 1, lost: 1, draws: 1 });
  expect(tally.color.get("white")).toEqual({ games: 1, won: 1, lost: 0, draws: 0 });
  expect(tally.role.get("cut")).toEqual({ games: 4, won: 1, lost: 0, draws: 1 });
  expect(tally.role.get("chose")).toEqual({ games: 2, won: 1, lost: 1, draws: 0 });
  expect(frequent(tally.cut)).toEqual(["rocks 5 x", "rocks 5 y"]);
  expect(tally.months).toEqual([
    ["2025-12", 1],
    ["2026-01", 3],
    ["2026-02", 1],
    ["2026-03", 0],
    ["2026-04", 2],
  ]);
  expect(tallyOf([], "a").months).toEqual([]);
});

test("a game of the archive is a record, unless its rules are gone", () => {
  const event = { epoch: 2, seq: 1, chain: 7, at: 1, record: '{"kind":"created"}', digest: 3 };
  const game = {
    ...line({ voided: true }),
    room: "kobadimu",
    feed: 17,
    clock: null,
    actions: ["x"],
    events: [event],
  } as unknown as archive.WholeGame;
  expect(recordOfGame(game)).toMatchObject({
    room: "kobadimu",
    feed: 17,
    seats: [{ user: "a" }, { user: "b" }],
    final: {
      status: "over",
      place: { epoch: 2, seq: 1, chain: 7 },
      result: { winner: null, reason: "voided" },
    },
  });
  expect(recordOfGame({ ...game, actions: null })).toBeNull();
});
