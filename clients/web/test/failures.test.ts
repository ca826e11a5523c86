/** Which tries to connect count as failed. */

import type { Status } from "@pierule/client";
import { expect, test } from "vitest";
import { triesAfter, type Tries } from "../src/offline/failures";

const failedAfter = (...kinds: Status["kind"][]): number =>
  kinds.reduce<Tries>(triesAfter, { kind: "connecting", failed: 0 }).failed;

test("a try that failed counts once, however much is heard of it", () => {
  expect(failedAfter("waiting")).toBe(1);
  expect(failedAfter("waiting", "waiting", "waiting")).toBe(1);
  expect(failedAfter("waiting", "connecting", "connecting", "waiting", "waiting")).toBe(2);
});

test("a connection that was lost is no try that failed", () => {
  expect(failedAfter("online", "waiting", "waiting", "connecting")).toBe(0);
  expect(failedAfter("online", "waiting", "connecting", "waiting")).toBe(1);
});

test("a connection ends the count", () => {
  expect(failedAfter("waiting", "connecting", "online")).toBe(0);
});
