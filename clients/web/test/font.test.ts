import { readFileSync, readdirSync } from "node:fs";
import { expect, test } from "vitest";

const FOLDERS = ["src/texts", "../../protocol/pierule_games"];
const IN_LATIN = /(?:^|\/)(?:en|es)(?:\.\w+)?\.(?:ts|json)$/;
/** Letters, figures and punctuation; arrows and the like come from the system. */
const LETTERS = /[^\x20-\x7e]/gu;
const OTHERS = /[\s←-⇿]/u;

test("the typeface has all letters of the English and the Spanish texts", () => {
  const script = readFileSync("scripts/font.mjs", "utf8");
  const files = FOLDERS.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  ).filter((path) => IN_LATIN.test(path));
  expect(files.length).toBeGreaterThan(15);
  const wanted = files.flatMap((path) => readFileSync(path, "utf8").match(LETTERS) ?? []);
  const missing = wanted.filter((letter) => !OTHERS.test(letter) && !script.includes(letter));
  expect([...new Set(missing)]).toEqual([]);
});
