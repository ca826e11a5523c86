/** Whom you mute or block, and their names. */

import { beforeEach, expect, test, vi } from "vitest";

const { kept, block } = vi.hoisted(() => ({
  kept: new Map<string, string | null>(),
  block: vi.fn<(user: string, level: string | null) => Promise<{ user: string; level: string }[]>>(),
}));
vi.mock("../src/server", () => ({ client: { block, welcomed: () => {} } }));
vi.mock("../src/storage", () => ({
  load: (name: string) => kept.get(name) ?? null,
  save: (name: string, value: string | null) => kept.set(name, value),
}));

beforeEach(() => kept.clear());

test("a blocked user is listed by the name that they had on the screen where you blocked them", async () => {
  const { blocked, blockedName, setBlock } = await import("../src/blockList");
  block.mockResolvedValue([{ user: "eve", level: "block" }]);
  await setBlock("eve", "block", "Eve");
  expect([...blocked.value]).toEqual([["eve", "block"]]);
  expect([blockedName("eve"), blockedName("bob")]).toEqual(["Eve", null]);
  block.mockResolvedValue([]);
  await setBlock("eve", null);
  expect(blocked.value.size).toBe(0);
});

test("a browser whose list of names is broken has no names", async () => {
  const { blockedName } = await import("../src/blockList");
  for (const names of ["{", "null", "3"]) {
    kept.set("blocked", names);
    expect(blockedName("eve")).toBeNull();
  }
});
