import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import type { RoomRecord, RoomState } from "@pierule/client";
import { clockText, CLOCKS } from "../src/home/options";
import { resultText } from "../src/room/result";
import { en } from "../src/texts/en";
import { es } from "../src/texts/es";
import { fill } from "../src/texts/fill";
import { ko } from "../src/texts/ko";

const over = (position: object, result: object) => ({ position, result }) as unknown as RoomState;
const told = (position: object, result: object) => resultText(en, over(position, result), ["Ada", "Bo"]);

test("a result says why", () => {
  const loose = { game: "loose", black: 0, komi: 6, score: [41, 35] };
  expect(told(loose, { winner: 0, reason: "played" })).toBe("Black wins by 6: 41 to 29 + 6 komi");
  expect(told({ ...loose, score: [31, 35] }, { winner: 1, reason: "played" })).toBe(
    "White wins by 4: 29 + 6 komi to 31",
  );
  expect(told({ ...loose, komi: 0, score: [0, 0] }, { winner: 0, reason: "played" })).toMatch(/equal/);
  const veletas = { game: "veletas", black: 1, komi: null, score: [4, 2] };
  expect(told(veletas, { winner: 1, reason: "played" })).toBe("Black wins: 4 shooters claimed to 2");
  const taugo = { game: "taugo", black: 1, komi: null, score: [9, 9] };
  expect(told(taugo, { winner: 0, reason: "played" })).toBe("White wins: 9 points each, and fewer strings");
  expect(told(taugo, { winner: "draw", reason: "played" })).toMatch(/^A draw/);
  expect(told(taugo, { winner: "draw", reason: "agreed" })).toBe(en.result.agreed);
  expect(told(taugo, { winner: 1, reason: "resigned" })).toBe("Bo wins: Ada has resigned");
  expect(told(taugo, { winner: 0, reason: "flagged" })).toBe("Ada wins: Bo's time is up");
  expect(told(taugo, { winner: 0, reason: "left" })).toBe("Ada wins: Bo has left");
  expect(told(taugo, { winner: null, reason: "left" })).toBe(en.result.leftNobody);
  expect(told(taugo, { winner: null, reason: "aborted" })).toBe(en.result.aborted);
  expect(told(taugo, { winner: null, reason: "closed" })).toBe(en.result.closed);
  expect(told(taugo, { winner: null, reason: "voided" })).toBe(en.result.voided);
  expect(told(taugo, { winner: 1, reason: "struck_by_lightning" })).toBe("Bo wins");
});

test("a tap that confirms a single stone is told of", () => {
  for (const [{ prompt }, again] of [
    [en, "tap it again"],
    [es, "tócalo otra vez"],
    [ko, "다시 누르"],
  ] as const) {
    expect(prompt.segment("f5", true)).toContain(again);
    expect(prompt.segment("f5", false)).not.toContain(again);
  }
});

test("every rule of a refusal is said in every language, with as many points", () => {
  const spec = readFileSync(new URL("../../../protocol/SPEC.md", import.meta.url), "utf-8");
  const table = spec.split("<!-- begin rules")[1]!.split("<!-- end rules")[0]!;
  const rules = [...table.matchAll(/^\| `(\w+)` \| (.*) \|$/gm)]
    .slice(1)
    .map(([, rule, words]) => [rule!, words!.split("…").length] as const);
  expect(rules.length).toBeGreaterThan(30);
  for (const { illegal } of [es, ko])
    expect(Object.entries(illegal!).map(([rule, words]) => [rule, words.split("{}").length])).toEqual(rules);
});

test("all languages have the same games, rules and examples", () => {
  for (const other of [es, ko]) {
    expect(Object.keys(other.games)).toEqual(Object.keys(en.games));
    expect(Object.keys(other.errors)).toEqual(Object.keys(en.errors));
    expect(Object.keys(other.prompt.phases)).toEqual(Object.keys(en.prompt.phases));
    for (const [game, { text, captions }] of Object.entries(en.rules.games)) {
      expect(other.rules.games[game]!.text).toHaveLength(text.length);
      expect(other.rules.games[game]!.captions).toHaveLength(captions.length);
    }
  }
});

test("every code of the protocol is said in every language, and no other", () => {
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

test("a sentence takes its points, the last place all that are left", () => {
  expect(fill("{} would make a knot with {}", ["a1", "b1", "b2"], " and ")).toBe(
    "a1 would make a knot with b1 and b2",
  );
  expect(fill("the game is over", ["a1"], " and ")).toBe("the game is over");
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
