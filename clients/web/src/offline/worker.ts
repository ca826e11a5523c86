/** The page's service worker (`worker/`), which keeps the page for times without a connection. */

import { whenIdle } from "../idle";
import { root } from "../route";

/** Install the worker once the page has nothing else to do. There is none for a page over plain http
 * (except from the same machine), nor where the user forbids it. Then the page needs a connection. */
export function registerWorker(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const register = () => navigator.serviceWorker.register(`${root}sw.js`, { updateViaCache: "none" });
  // With a worker there is nothing to do: browsers look for a new one by themselves, and asking again would
  // keep a worker that is about to go.
  whenIdle(() => void (navigator.serviceWorker.controller ?? register().catch(() => {})));
}
