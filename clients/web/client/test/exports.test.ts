/** What an application sees: the exports, and what the README says of them. */

import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import * as library from "../src/index.js";

const read = (name: string) => readFileSync(new URL(`../${name}`, import.meta.url), "utf-8");

test("the library exports its public names only", () => {
  expect(Object.keys(library).sort()).toEqual([
    "Archive",
    "ArchiveError",
    "Client",
    "Desync",
    "Refused",
    "Stopped",
    "agreesWith",
    "applyPosition",
    "crc32",
    "foldChallenges",
    "json",
    "msgpack",
    "pointIndex",
    "pointName",
    "positionDigest",
    "positionText",
    "timeLeft",
    "withListed",
  ]);
  expect(Object.keys(JSON.parse(read("package.json")).exports)).toEqual(["."]);
});

test("the README has every method of the client, and no other", () => {
  const { prototype } = library.Client;
  const methods = Object.getOwnPropertyNames(prototype).filter((name) => name !== "constructor");
  const table = read("README.md")
    .split("\n")
    .filter((row) => /^\| (?!about|-)/.test(row))
    .map((row) => row.replace(/\(.*?\)/g, ""));
  const named = table.flatMap((row) => [...row.matchAll(/`(\w+)`/g)].map(([, name]) => name!));
  const hidden = new Set(["nonce", "judged", "useToken"]);
  expect(named).toEqual(expect.arrayContaining(methods.filter((name) => !hidden.has(name))));
  for (const name of named) expect(prototype).toHaveProperty(name);
});
