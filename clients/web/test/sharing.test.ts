/** A link is passed on by the share sheet, or copied. */

import { afterEach, expect, test, vi } from "vitest";
import { Passing, system } from "../src/room/sharing";

const LINK = "https://example.org/game/kobadimu";

afterEach(() => vi.unstubAllGlobals());

const named = (name: string) => Object.assign(new Error(), { name });
const refusal = named("NotAllowedError");

/** A system whose share sheet (undefined: it has none) and clipboard fail like this, and what it did. */
function asked(share: Error | null | undefined, copy: Error | null = null) {
  const done: string[] = [];
  const act = (what: string, error: Error | null) => async (link: string) => {
    done.push(`${what} ${link}`);
    if (error) throw error;
  };
  const able = { share: share === undefined ? null : act("share", share), copy: act("copy", copy) };
  return { done, passing: new Passing(able) };
}

test("where there is a share sheet, it gets the link, and nothing is copied", async () => {
  const { done, passing } = asked(null);
  expect(passing.shares).toBe(true);
  expect(await passing.pass(LINK)).toBe("shared");
  expect(done).toEqual([`share ${LINK}`]);
});

test("who closes the share sheet copies nothing", async () => {
  const { done, passing } = asked(named("AbortError"));
  expect(await passing.pass(LINK)).toBe("left");
  expect(done).toEqual([`share ${LINK}`]);
  expect(passing.shares).toBe(true);
});

test("without a share sheet, the link is copied", async () => {
  const { done, passing } = asked(undefined);
  expect(passing.shares).toBe(false);
  expect(await passing.pass(LINK)).toBe("copied");
  expect(done).toEqual([`copy ${LINK}`]);
});

test("when the system refuses the share sheet, the link is copied, and it is not asked again", async () => {
  const { done, passing } = asked(refusal);
  expect(await passing.pass(LINK)).toBe("copied");
  expect(passing.shares).toBe(false);
  expect(await passing.pass(LINK)).toBe("copied");
  expect(done).toEqual([`share ${LINK}`, `copy ${LINK}`, `copy ${LINK}`]);
  expect(await asked(refusal, refusal).passing.pass(LINK)).toBe("neither");
});

test("a press does nothing while the share sheet is open", async () => {
  let close = () => {};
  const share = vi.fn(() => new Promise<void>((closed) => (close = closed)));
  const passing = new Passing({ share, copy: () => Promise.reject(refusal) });
  const first = passing.pass(LINK);
  expect(await passing.pass(LINK)).toBeNull();
  close();
  expect(await first).toBe("shared");
  expect(share).toHaveBeenCalledOnce();
  void passing.pass(LINK);
  expect(share).toHaveBeenCalledTimes(2);
});

test("only a phone shares: where there is a mouse, or no sheet, the page copies", async () => {
  const share = vi.fn(() => Promise.resolve());
  const on = (coarse: boolean, navigator: object) => {
    vi.stubGlobal("navigator", navigator);
    vi.stubGlobal("matchMedia", () => ({ matches: coarse }));
    return system();
  };
  expect(on(true, {}).share).toBeNull();
  expect(on(false, { share }).share).toBeNull();
  await on(true, { share }).share!(LINK);
  expect(share).toHaveBeenCalledExactlyOnceWith({ url: LINK });
  expect(await new Passing(on(true, {})).pass(LINK)).toBe("neither"); // there is no clipboard without https
});
