/** The vectors of protocol/, which every client is held against. */

import { readFileSync } from "node:fs";

const FOLDER = new URL("../../../../protocol/vectors/", import.meta.url);

// They are JSON of many shapes, described in their README.
export const load = (name: string): any => JSON.parse(readFileSync(new URL(`${name}.json`, FOLDER), "utf-8"));

/** What is found, of the fields that are wanted alone: a client may keep others. */
export function known(found: unknown, wanted: unknown): unknown {
  if (Array.isArray(found) && Array.isArray(wanted) && found.length === wanted.length)
    return found.map((item, index) => known(item, wanted[index]));
  if (!isObject(found) || !isObject(wanted)) return found;
  const kept = Object.entries(found).filter(([name]) => name in wanted);
  return Object.fromEntries(kept.map(([name, value]) => [name, known(value, wanted[name])]));
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
