import { readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import { Refused, Stopped, type LogEntry, type Mark, type RoomRecord, type RoomState } from "@pierule/client";
import { clockText, CLOCKS, wishesText } from "../src/home/options";
import { becameAloud, becameText, changeText, standingAloud, standingText } from "../src/archive/words";
import { pieceName, wordText } from "../src/games/words";
import { BESIDE } from "../src/board/beside";
import { refusalText } from "../src/refusals";
import { faultText } from "../src/replay/fault";
import { marksOf } from "../src/room/account";
import { fateText, resultText, whyClosed } from "../src/room/result";
import { pausedText } from "../src/room/times";
import { language } from "../src/settings";
import { en } from "../src/texts/en";
import { es } from "../src/texts/es";
import { fill, fillPoints } from "../src/texts/fill";
import { ko } from "../src/texts/ko";
import { document as made } from "./documents";

vi.mock("../src/games/documents", () => ({ gameOf: () => null }));
vi.mock("../src/server", () => ({}));
vi.mock("../src/settings", async () => {
  const { signal } = await import("@preact/signals");
  return { language: signal("en") };
});
vi.hoisted(() => vi.stubGlobal("document", { documentElement: {} }));

const ROCKS = made("square", [{ size: 3 }]);
const over = (position: object, result: object) => ({ position, result }) as unknown as RoomState;
const told = (position: object, result: object, game = ROCKS) =>
  resultText(game, over(position, result), ["Ada", "Bo"]);

test("a result says why", () => {
  const played = (score: number[], winner: number | "draw", game = ROCKS) =>
    told({ black: 1, score }, { winner, reason: "played" }, game);
  expect(played([9, 4], 1)).toBe("Black wins by 5: 9 to 4");
  expect(played([4, 9], 0)).toBe("White wins by 5: 9 to 4");
  expect(played([4, 4], "draw")).toBe("A draw: 4 each");
  expect(played([4, 4], 0)).toBe("Ada wins"); // the game says nothing of that
  const level = { ...ROCKS.texts.en!.result, level: "{0} wins: {2} each, and {1} passed" };
  expect(played([4, 4], 0, made("square", [{ size: 3 }], {}, { result: level }))).toBe(
    "White wins: 4 each, and Black passed",
  );
  const position = { black: 1, score: [9, 9] };
  expect(told(position, { winner: "draw", reason: "agreed" })).toBe(en.result.agreed);
  expect(told(position, { winner: 1, reason: "resigned" })).toBe("Bo wins: Ada resigned");
  expect(told(position, { winner: 0, reason: "flagged" })).toBe("Ada wins: Bo ran out of time");
  expect(told(position, { winner: 0, reason: "left" })).toBe("Ada wins: Bo left");
  expect(told(position, { winner: null, reason: "left" })).toBe(en.result.leftNobody);
  expect(told(position, { winner: null, reason: "aborted" })).toBe(en.result.aborted);
  expect(told(position, { winner: null, reason: "closed" })).toBe(en.result.closed);
  expect(told(position, { winner: null, reason: "voided" })).toBe(en.result.voided);
  expect(told(position, { winner: 1, reason: "struck_by_lightning" })).toBe("Bo wins");
});

test("a player is told once whether they have won", () => {
  const position = { black: 1, score: [9, 4] };
  const toldTo = (seat: 0 | 1, result: object) =>
    fateText(ROCKS, over(position, result), ["Ada", "Bo"], seat);
  expect(toldTo(0, { winner: 0, reason: "flagged" })).toBe("You won. Bo ran out of time.");
  expect(toldTo(1, { winner: 0, reason: "flagged" })).toBe("You lost. You ran out of time.");
  expect(toldTo(1, { winner: 1, reason: "resigned" })).toBe("You won. Ada resigned.");
  expect(toldTo(1, { winner: 0, reason: "left" })).toBe("You lost. You left.");
  expect(toldTo(1, { winner: 1, reason: "played" })).toBe("You won. Black wins by 5: 9 to 4");
  expect(toldTo(0, { winner: 0, reason: "struck_by_lightning" })).toBe("You won.");
  expect(toldTo(0, { winner: "draw", reason: "agreed" })).toBe(en.result.agreed);
  expect(toldTo(0, { winner: null, reason: "aborted" })).toBe(en.result.aborted);
});

test("a refusal is told in the game's words, or as the server tells it", () => {
  const refused = (rule: string, points: string[]) =>
    new Refused({ type: "error", id: 1, code: "illegal", text: "as it says", rule, points });
  expect(refusalText(refused("knot", ["a1", "b1", "b2"]), ROCKS)).toBe(
    "a1 would make a knot with b1 and b2.",
  );
  expect(refusalText(refused("over", ["a1"]), ROCKS)).toBe("The game is over.");
  for (const [rule, game] of [
    ["unheard_of", ROCKS],
    ["toString", ROCKS],
    ["over", null],
  ] as const)
    expect(refusalText(refused(rule, []), game)).toBe("As it says.");
});

test("what is set beside the board is called what the game calls it", () => {
  const beside = new Refused({ type: "error", id: null, code: BESIDE, text: "width" });
  const label = "Width of the wall";
  const game = made("square", [{ size: 3 }], {}, { numbers: { width: { label, set: "Set", shown: "{0}" } } });
  expect(refusalText(beside, game)).toBe("First set this beside the board: Width of the wall.");
  expect(refusalText(beside, ROCKS)).toBe("First set this beside the board: width.");
  expect(refusalText(beside)).toBe("First set this beside the board: width.");
});

test("the server's own words, which are English, are told only on an English page", () => {
  const refused = (code: string) => new Refused({ type: "error", id: 1, code, text: "a name is too long" });
  expect(refusalText(refused("bad_field"))).toBe(`${en.errors.bad_field} (a name is too long)`);
  language.value = "es";
  expect(refusalText(refused("bad_field"))).toBe(en.errors.bad_field); // the texts are not loaded here
  expect(refusalText(refused("banned"))).toContain("(a name is too long)");
  language.value = "en";
});

test("what the server says of the path of a field is told to no player", () => {
  const text = "Expected `str` of length <= 24 - at `$.name`";
  const refused = new Refused({ type: "error", id: 1, code: "bad_field", text, field: "name" });
  expect(refusalText(refused)).toBe(en.errors.bad_field);
});

test("a record is blamed only for its own faults", () => {
  const refused = (code: string, more: object = {}) =>
    faultText(new Refused({ type: "error", id: 1, code, text: "as it says", ...more }), ROCKS);
  expect(refused("illegal", { rule: "over", points: [] })).toBe("This record is wrong: The game is over.");
  expect(refused("bad_field")).toMatch(/^This record is wrong: .*\(as it says\)$/);
  expect(refused("no_game")).toBe(en.errors.no_game);
  expect(faultText(new Error("no position at ply 3"), ROCKS)).toBe(en.room.failed("no position at ply 3"));
  expect(faultText(new Stopped("closed", 1000), ROCKS)).toBeNull();
});

test("a pause counts down in whole seconds", () => {
  expect(pausedText(null, 0)).toBe("The clocks are paused.");
  expect(pausedText(9_400, 1_000)).toBe("The clocks are paused. They start again in 0:09.");
  expect(pausedText(9_400, 10_000)).toBe("The clocks are paused. They start again in 0:00.");
});

test("words and numbers have the names that the game gives them", () => {
  expect(wordText(ROCKS, "komi:-2")).toBe("Komi -2");
  expect(wordText(ROCKS, "size:3")).toBe("size 3");
  expect(["pass", "swap", "black", "fold"].map((word) => wordText(ROCKS, word))).toEqual([
    "Pass",
    "Swap them",
    "Black",
    "fold",
  ]);
  expect([0, 6, 9].map((cell) => pieceName(ROCKS, cell))).toEqual(["empty", "rock", "9"]);
});

test("marks of the account show their value on the first point", () => {
  const group: Mark = { kind: "group", color: "white", points: ["a1", "b1", "z9"], value: 2 };
  expect([...marksOf(ROCKS, 3, { marks: [group], sums: [] })]).toEqual([
    [0, { color: "white", label: "White: group", value: 2 }],
    [1, { color: "white", label: "White: group", value: null }],
  ]);
  expect(marksOf(ROCKS, 3, null).size).toBe(0);
});

test("every code of the protocol has a text in every language, and no other has", () => {
  const spec = readFileSync(new URL("../../../protocol/SPEC.md", import.meta.url), "utf-8");
  const codes = spec.split("\n## 7. Codes")[1]!.split("\n## 8.")[0]!;
  const [errors, closes] = codes.split("**Close codes**");
  const named = (text: string, code: RegExp) => [...text.matchAll(code)].map(([, name]) => name!).sort();
  const wanted = named(errors!, /^\| `(\w+)` \|/gm);
  const closing = named(closes!, /^\| (\d{4}) \|/gm);
  expect(wanted.length).toBeGreaterThan(33);
  expect(closing.length).toBeGreaterThan(12);
  for (const texts of [en, es, ko]) {
    expect(Object.keys(texts.errors).sort()).toEqual(wanted);
    expect(Object.keys(texts.closes).sort()).toEqual(closing);
    for (const text of [...Object.values(texts.errors), ...Object.values(texts.closes)])
      expect(text).toMatch(/\S/);
  }
});

test("placeholders are filled, the highest of points with all that are left", () => {
  expect(fill("{0} wins: {2} each", ["White", "Black", 9, 9])).toBe("White wins: 9 each");
  expect(fill("{1} of {0}{2}", [3, 2])).toBe("2 of 3");
  expect(fillPoints("{0} would make a knot with {1}", ["a1", "b1", "b2"], " and ")).toBe(
    "a1 would make a knot with b1 and b2",
  );
  expect(fillPoints("{0} is taken", ["a1"], " and ")).toBe("a1 is taken");
  expect(fillPoints("{0} and {1}", [], " and ")).toBe(" and ");
  expect(fillPoints("the game is over", ["a1"], " and ")).toBe("the game is over");
});

test("every clock that is offered has its own name", () => {
  for (const texts of [en, es, ko]) {
    const names = CLOCKS.map((clock) => clockText(texts, clock));
    expect(new Set(names).size).toBe(CLOCKS.length);
  }
  expect(clockText(en, { kind: "sundial" } as unknown as RoomRecord["options"]["control"])).toBe(
    en.clocks.unknown,
  );
});

test("a rating beside a name is a number, and while it is provisional how far it may be off", () => {
  const told = (rating: number, deviation: number) => [
    standingText({ rating, deviation }),
    standingAloud({ rating, deviation }),
  ];
  expect(told(1583, 110)).toEqual(["1583", "rating 1583"]);
  expect(told(1600, 111)).toEqual(["1600\u00a0±222", "provisional rating 1600, between 1378 and 1822"]);
});

test("a finished game has what it did to a rating beside the name", () => {
  const value = (rating: string, deviation: string, provisional: boolean, games: number) => ({
    rating,
    deviation,
    games,
    provisional,
  });
  const lost = {
    before: value("1600.400000", "110.500000", true, 1),
    after: value("1587.600000", "109.000000", false, 2),
  };
  expect(becameText(lost)).toBe("1588 (−12)");
  expect(becameAloud(lost)).toBe(
    "provisional rating 1600, between 1379 and 1821, after the game rating 1588",
  );
  const won = {
    before: value("1500.000000", "250.000000", true, 0),
    after: value("1607.400000", "218.100000", true, 1),
  };
  expect(becameText(won)).toBe("1607\u00a0±436 (+107)");
  expect(changeText("Ada", won)).toBe("Ada: 1607\u00a0±436 (+107).");
  expect(becameText({ before: lost.after, after: { ...lost.after, games: 3 } })).toBe("1588 (±0)");
});

test("the rating of a bot stays", () => {
  const fixed = { rating: "1500.000000", deviation: "30.000000", games: 0, provisional: false };
  const rated = { before: fixed, after: fixed };
  expect(becameText(rated)).toBe("1500");
  expect(becameAloud(rated)).toBe("rating 1500");
  expect(changeText("Otto", rated)).toBe("Otto always stays at 1500.");
});

test("a waiting user is shown their choices besides the game", () => {
  expect(wishesText(en, {})).toBe("");
  expect(wishesText(en, { rated: "either", range: null })).toBe("");
  expect(wishesText(en, { rated: "yes", range: { below: 100, above: 100 } })).toBe(
    "Rated: yes, Opponent’s rating: ±100",
  );
  for (const texts of [en, es, ko])
    expect(wishesText(texts, { range: { below: 200, above: 200 } })).toContain("±200");
});

test("a limit that ended a game is told in the reader's language, and operators in their own words", () => {
  const ended = (more: object) =>
    whyClosed([{ record: JSON.stringify({ kind: "closed", text: "because", ...more }) } as LogEntry]);
  expect(ended({})).toBe("The operators say: because");
  expect(ended({ by: "operators" })).toBe("The operators say: because");
  expect(ended({ by: "limit" })).toBe(en.result.limit);
  expect(ended({ by: "something new" })).toBe("because");
  expect(whyClosed([])).toBe("");
});
