/** How a player's games went, by game, color, role and cut. Pure. */

import type { archive } from "@pierule/client";
import { resultOf } from "./record";

export interface Score {
  games: number;
  won: number;
  lost: number;
  draws: number;
}

/** Scores by a key, such as a color. */
export type Scores = ReadonlyMap<string, Score>;

export interface Tally {
  all: Score;
  /** By the id of the game and its size, as in `loose 9`. */
  game: Scores;
  /** By `black` and `white`. */
  color: Scores;
  /** By `cut` and `chose`. */
  role: Scores;
  /** By game, size and cut, as in `loose 9 komi:14`. */
  cut: Scores;
  /** Games by month, as in `2026-01`, from the first to the last. */
  months: readonly (readonly [string, number])[];
}

/** The tally of a player's games, of which the latest comes first. */
export function tallyOf(lines: readonly archive.GameLine[], player: string): Tally {
  const all = nothing();
  const [game, color, role, cut] = [0, 1, 2, 3].map(() => new Map<string, Score>()) as [
    Map<string, Score>,
    Map<string, Score>,
    Map<string, Score>,
    Map<string, Score>,
  ];
  for (const line of lines) {
    const what = `${line.game} ${line.size}`;
    const seat = line.players[0].id === player ? 0 : 1;
    const alone = line.players[0].id === line.players[1].id;
    const { winner } = resultOf(line);
    const add = (score: Score) => {
      score.games++;
      if (winner === "draw") score.draws++;
      else if (winner !== null && !alone) score[winner === seat ? "won" : "lost"]++;
    };
    add(all);
    add(at(game, what));
    if (!alone && line.black !== null) add(at(color, line.black === seat ? "black" : "white"));
    if (!alone) add(at(role, seat === 0 ? "cut" : "chose"));
    if (line.cut !== null) add(at(cut, `${what} ${line.cut}`));
  }
  return { all, game, color, role, cut, months: monthsOf(lines) };
}

const nothing = (): Score => ({ games: 0, won: 0, lost: 0, draws: 0 });

function at(scores: Map<string, Score>, key: string): Score {
  const score = scores.get(key) ?? nothing();
  scores.set(key, score);
  return score;
}

/** The keys of scores, the most frequent first. */
export const frequent = (scores: Scores): string[] =>
  [...scores.keys()].sort((a, b) => scores.get(b)!.games - scores.get(a)!.games);

const MOST_MONTHS = 24;

function monthsOf(lines: readonly archive.GameLine[]): [string, number][] {
  if (!lines.length) return [];
  const counts = new Map<string, number>();
  for (const { ended } of lines) {
    const month = monthOf(ended);
    counts.set(month, (counts.get(month) ?? 0) + 1);
  }
  const last = new Date(lines[0]!.ended);
  const months = Array.from({ length: MOST_MONTHS }, (_, back) =>
    monthOf(Date.UTC(last.getUTCFullYear(), last.getUTCMonth() - back)),
  );
  const first = monthOf(lines.at(-1)!.ended);
  return months
    .filter((month) => month >= first)
    .reverse()
    .map((month) => [month, counts.get(month) ?? 0]);
}

const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7);
