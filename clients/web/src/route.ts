/** Where one is: the part of the address behind `#`, so that any web server can serve the page. */

import { signal } from "@preact/signals";

export type Route =
  | { at: "home" }
  | { at: "rules"; game: string | null }
  | { at: "replay" }
  | { at: "room"; room: string; invitation: string | null; ply: number | null; sit: boolean };

/** A room's link (SPEC 20.4), and behind it a ply to look at, or that one comes to play. */
const ROOM = /^#([a-z]{1,32})(?:\.([A-Za-z0-9_-]{16,64}))?(?:\/(\d{1,4}|play))?$/;

/** The route that an address names; home for anything else. */
export function parseRoute(hash: string): Route {
  const [, room, invitation = null, more] = ROOM.exec(hash) ?? [];
  if (room) {
    const ply = more && more !== "play" ? Number(more) : null;
    return { at: "room", room, invitation, ply, sit: more === "play" };
  }
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
  document.getElementById("main")?.focus();
  scrollTo(0, 0);
});

export function go(hash: string): void {
  location.hash = hash;
}
