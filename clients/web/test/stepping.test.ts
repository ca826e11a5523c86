import { beforeAll, expect, test, vi } from "vitest";

/** An element inside of others, as far as a key asks for it. */
class Element {
  constructor(private readonly inside: readonly string[]) {}
  closest(selectors: string) {
    return selectors.split(", ").some((each) => this.inside.includes(each)) ? this : null;
  }
}

const pressed = (key: string, inside: string[] = [], more: object = {}) =>
  ({ key, target: new Element(inside), ...more }) as unknown as KeyboardEvent;

let stepping: typeof import("../src/room/stepping");

beforeAll(async () => {
  vi.stubGlobal("Element", Element);
  vi.stubGlobal("navigator", { languages: ["en"] });
  vi.stubGlobal("matchMedia", () => ({ matches: false, addEventListener() {} }));
  vi.stubGlobal("document", { documentElement: { dataset: {} } });
  stepping = await import("../src/room/stepping");
});

test("arrow keys step, and comma and full stop do on the board", () => {
  const { stepOf } = stepping;
  expect(stepOf(pressed("ArrowLeft"))).toBe(-1);
  expect(stepOf(pressed("ArrowRight", ['[role="grid"]']))).toBe(0);
  expect(stepOf(pressed(".", ['[role="grid"]']))).toBe(1);
  expect(stepOf(pressed("."))).toBe(0);
});

test("f turns boards around and back, and is a letter in a text field", async () => {
  const { isTurning, turnAround } = stepping;
  const { turned } = await import("../src/settings");
  expect(isTurning(pressed("f"))).toBe(true);
  expect(isTurning(pressed("f", ['[role="grid"]']))).toBe(true);
  expect(isTurning(pressed("f", ["input"]))).toBe(false);
  expect(isTurning(pressed("f", ["textarea"]))).toBe(false);
  expect(isTurning(pressed("f", [], { ctrlKey: true }))).toBe(false);
  turnAround();
  expect(turned.value).toBe("yes");
  turnAround();
  expect(turned.value).toBe("no");
});
