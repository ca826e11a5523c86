/** What the page says aloud, and for how long it can be read again. */

import type { Signal } from "@preact/signals";
import type { VNode } from "preact";
import { afterEach, expect, test, vi } from "vitest";
import { Announcer, announce } from "../src/announce";

const said = () => (Announcer() as VNode<{ children: Signal<string> }>).props.children.value;

afterEach(() => void vi.useRealTimers());

test("the same words again are news", () => {
  announce("Your turn");
  const once = said();
  announce("Your turn");
  expect(once).toBe("Your turn");
  expect(said()).not.toBe(once);
  expect(said().trim()).toBe(once);
});

test("what was said does not stay when it is old", () => {
  vi.useFakeTimers();
  announce("1 of 16");
  vi.advanceTimersByTime(20_000);
  announce("16 of 16");
  vi.advanceTimersByTime(20_000);
  expect(said()).toBe("16 of 16");
  vi.advanceTimersByTime(20_000);
  expect(said()).toBe("");
});
