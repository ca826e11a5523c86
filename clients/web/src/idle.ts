/** What can wait until the page is there and has nothing else to do. */

/** For browsers that do not tell when they are idle, in ms. */
const LATER = 2_000;

export function whenIdle(work: () => void): void {
  const idle = globalThis.requestIdleCallback ?? ((work: () => void) => setTimeout(work, LATER));
  const begin = () => void idle(work);
  if (document.readyState === "complete") begin();
  else addEventListener("load", begin, { once: true });
}
