/** What stands in place of an answer of the archive, and what of it is said aloud. */

import type { VNode } from "preact";
import { ArchiveError } from "@pierule/client";
import { expect, test, vi } from "vitest";
import { Unanswered } from "../src/archive/Unanswered";

vi.mock("../src/archive/source", () => ({ isArchived: { value: true } }));
vi.mock("../src/route", () => ({}));
vi.mock("../src/settings", () => ({ language: { value: "en" } }));
vi.hoisted(() => vi.stubGlobal("document", { documentElement: {} }));

const roleOf = (error: Error | null, quiet: boolean) =>
  (Unanswered({ error, again() {}, unknown: "", quiet }) as VNode<{ role?: string }>).props.role;

test("beside a board only a failure is said aloud", () => {
  const missing = new ArchiveError("no", 404);
  expect([null, missing, new Error()].map((error) => roleOf(error, true))).toEqual([
    undefined,
    undefined,
    "alert",
  ]);
  expect([null, missing, new Error()].map((error) => roleOf(error, false))).toEqual([
    "status",
    "status",
    "alert",
  ]);
});
