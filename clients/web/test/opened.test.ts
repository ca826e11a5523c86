/** Files that somebody opens or drops. */

import { expect, test, vi } from "vitest";
import { opened, openRecord } from "../src/replay/opened";

vi.hoisted(() => {
  vi.stubGlobal("location", { hash: "", pathname: "/", href: "https://a.org/" });
  vi.stubGlobal("addEventListener", () => {});
});

test("what cannot be read is no record", async () => {
  const folder = { size: 4_096, text: () => Promise.reject(new Error("it is a folder")) };
  await openRecord(folder as unknown as File);
  expect(opened.value).toBe("bad");
  expect(location.hash).toBe("#/replay");
});
