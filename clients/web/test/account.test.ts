/** Who has a name of their own, so that their games can be rated. */

import { beforeEach, expect, test, vi } from "vitest";

const { signal, kept, restarts } = await vi.hoisted(async () => ({
  ...(await import("@preact/signals")),
  restarts: [] as unknown[][],
  kept: new Map<string, string | null>(),
}));
vi.mock("../src/server", () => ({
  welcome: signal<{ user: string } | null>(null),
  client: { register: () => Promise.resolve({ recovery: "abc" }), deleteAccount: () => Promise.resolve() },
  restartAs: (...told: unknown[]) => restarts.push(told),
}));
vi.mock("../src/storage", () => ({
  load: (name: string) => kept.get(name) ?? null,
  save: (name: string, value: string | null) => kept.set(name, value),
}));
vi.mock("../src/download", () => ({}));

beforeEach(() => {
  vi.resetModules();
  kept.clear();
});

async function namedAs(user: string | null, registered: string | null = null): Promise<boolean[]> {
  kept.set("registered", registered);
  const { welcome } = await import("../src/server");
  const { named, registered: known, vouched } = await import("../src/account/account");
  welcome.value = user === null ? null : ({ user } as typeof welcome.value);
  return [named.value, known.value, vouched.value];
}

test("registered users and those of an identity provider have a name of their own", async () => {
  expect(await namedAs("0123456789abcdef", "0123456789abcdef")).toEqual([true, true, false]);
  expect(await namedAs("p0123456789abcdef01234567")).toEqual([true, false, true]);
});

test("guests and users before the welcome have no name of their own", async () => {
  expect(await namedAs("0123456789abcdef")).toEqual([false, false, false]);
  expect(await namedAs("0123456789abcdef", "fedcba9876543210")).toEqual([false, false, false]);
  expect(await namedAs(null, "0123456789abcdef")).toEqual([false, false, false]);
});

test("the page knows a registered user before the server answers, and takes no guest for one", async () => {
  const knownAs = async (user: string | null, registered: string | null) => {
    await namedAs(user, registered);
    const { isKnown } = await import("../src/account/account");
    vi.resetModules();
    return isKnown.value;
  };
  expect(await knownAs(null, "0123456789abcdef")).toBe(true);
  expect(await knownAs("0123456789abcdef", "0123456789abcdef")).toBe(true);
  expect(await knownAs("p0123456789abcdef01234567", null)).toBe(true);
  expect(await knownAs(null, null)).toBe(false);
  expect(await knownAs("0123456789abcdef", null)).toBe(false);
});

test("a recovery code is accepted in any spelling", async () => {
  const { codeOf } = await import("../src/account/account");
  for (const typed of [
    "ABCDE-FGHIJ-KLMNO-PQ234",
    " abcde fghij klmno pq234 ",
    "abcdefghijklmn0pq234",
    "ABCDE–FGH1J-KLMNO-PQ234",
  ])
    expect(codeOf(typed)).toBe("ABCDE-FGHIJ-KLMNO-PQ234");
  expect(codeOf(" a short one ")).toBe("a short one"); // the server says what is wrong with it
  expect(codeOf("🙂".repeat(41))).toBe("🙂".repeat(40)); // as it would not if this were too long
});

test("whoever signs out or deletes their account goes on as a new guest, and is told why", async () => {
  const { deleteAccount, signOut } = await import("../src/account/account");
  signOut();
  await deleteAccount();
  expect(restarts).toEqual([
    [null, null, "signed_out"],
    [null, null, "deleted"],
  ]);
});
