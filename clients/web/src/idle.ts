/** Work that can wait until the page is loaded and has nothing else to do. */

/** How long to wait, in ms, in browsers that do not say when they are idle. */
const LATER = 2_000;

export function whenIdle(work: () => void): void {
  const idle = globalThis.requestIdleCallback ?? ((work: () => void) => setTimeout(work, LATER));
  const begin = () => void idle(work);
  if (document.readyState === "complete") begin();
  else addEventListener("load", begin, { once: true });
}
