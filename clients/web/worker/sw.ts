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
self.addEventListener("fetch", (event) => {
  const answer = shell.answer(event.request);
  if (!answer) return;
  event.respondWith(answer);
  if (event.request.mode === "navigate") event.waitUntil(answer.then(() => shell.check()).catch(() => {})); // told by the answer itself
});
