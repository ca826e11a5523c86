/** Where one is: the part of the address behind `#`, so that any web server can serve the page. */

import { signal } from "@preact/signals";

export type Route =
  | { at: "home" }
  | { at: "rules"; game: string | null }
  | { at: "replay" }
  | { at: "broken" }
  | { at: "room"; room: string; invitation: string | null; ply: number | null; sit: boolean };

/** A room's link (SPEC 20.4), and behind it a ply to look at, or that one comes to play. */
const ROOM = /^#([a-z]{1,32})(?:\.([A-Za-z0-9_-]{16,64}))?(?:\/(\d{1,4}|play))?$/;

/** What sentences and messages put behind a link, and what then counts as part of it. */
const BEHIND = /[\s.,;:!?…'"’”»)\]}>/]+$/u;

/** A hash as its link has it, without what a sentence adds. */
function bare(hash: string): string {
  try {
    return decodeURIComponent(hash).replace(BEHIND, "");
  } catch {
    return hash; // no link of ours has a percent sign
  }
}

/** The route that an address names: a room whose link is not whole is `broken`, any other address is home. */
export function parseRoute(address: string): Route {
  const hash = address.startsWith("#/") ? address : bare(address);
  const [, room, invitation = null, more] = ROOM.exec(hash) ?? [];
  if (room) {
    const ply = more && more !== "play" ? Number(more) : null;
    return { at: "room", room, invitation, ply, sit: more === "play" };
  }
  if (hash.length > 1 && !hash.startsWith("#/")) return { at: "broken" };
  const [screen, game] = hash.replace(/^#\//, "").split("/");
  if (screen === "rules") return { at: "rules", game: game || null };
  return { at: screen === "replay" ? "replay" : "home" };
}

/** The address of a room in this page. */
export const roomPath = (room: string, invitation: string | null = null): string =>
  `#${room}${invitation ? `.${invitation}` : ""}`;

export const route = signal(parseRoute(location.hash));

addEventListener("hashchange", () => {
  route.value = parseRoute(location.hash);
  const main = document.getElementById("main");
  main?.focus();
  for (const scrolled of [main, document.getElementById("app"), document.documentElement])
    scrolled?.scrollTo(0, 0); // where there is a game, `main` scrolls
});

export function go(hash: string): void {
  location.hash = hash;
}
