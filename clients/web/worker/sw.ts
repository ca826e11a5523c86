/** The page's service worker: what happens to it, handed on to the shell. */

import { Shell, type Build } from "./shell";

declare const self: ServiceWorkerGlobalScope;
/** Written by the build. */
declare const PIERULE_BUILD: Build;

const shell = new Shell(PIERULE_BUILD, {
  scope: self.registration.scope,
  caches: self.caches,
  fetch: (request) => fetch(request),
  unregister: () => self.registration.unregister(),
});

self.addEventListener("install", (event) => {
  void self.skipWaiting();
  event.waitUntil(shell.install());
});
self.addEventListener("activate", (event) => {
  event.waitUntil(shell.activate().then(() => self.clients.claim()));
});
// What the page shows when it is your turn leads to the game: in a window that is there, or in a new one.
self.addEventListener("notificationclick", (event) => {
  const { path } = event.notification.data as { path: string };
  event.notification.close();
  event.waitUntil(shown(path));
});
async function shown(path: string): Promise<void> {
  const windows = await self.clients.matchAll({ type: "window", includeUncontrolled: true });
  const [found] = windows.filter(({ url }) => url.startsWith(self.registration.scope));
  if (!found) return void (await self.clients.openWindow(self.registration.scope + path));
  await found.focus();
  found.postMessage({ go: path });
}
self.addEventListener("fetch", (event) => {
  const answer = shell.answer(event.request);
  if (!answer) return;
  event.respondWith(answer);
  if (event.request.mode === "navigate") event.waitUntil(answer.then(() => shell.check()).catch(() => {})); // told by the answer itself
});
