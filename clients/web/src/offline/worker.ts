/** The page's service worker (`worker/`), which keeps the page for times without a connection. */

import { whenIdle } from "../idle";
import { root } from "../route";

/** Ask for it once the page has nothing else to do. Browsers have none for pages over plain http, except
 * on their own machine, and some users allow none: then there is a page with a connection only. */
export function registerWorker(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const register = () => navigator.serviceWorker.register(`${root}sw.js`, { updateViaCache: "none" });
  // A page that has a worker is done: browsers look for a new one by themselves, and to ask again would
  // keep a worker that is about to go.
  whenIdle(() => void (navigator.serviceWorker.controller ?? register().catch(() => {})));
}
