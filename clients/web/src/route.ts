/**
 * Where you are: the part of the address behind `#`, so that any web server can serve the page. Without it,
 * games and players are also found by their paths, which crawlers see (SPEC 29).
 */

import { signal } from "@preact/signals";

export type Route =
  | { at: "home" }
  | { at: "rules"; game: string | null }
  | { at: "learn"; game: string | null; lesson: string | null }
  | { at: "replay" }
  | { at: "analysis"; name: string | null; data: string }
  | { at: "broken" }
  | { at: "games"; search: Search }
  | { at: "player"; name: string; search: Search }
  | { at: "ratings"; game: string | null }
  | { at: "cuts"; game: string | null; search: Search }
  | { at: "game"; game: string; ply: number | null }
  | { at: "room"; room: string; invitation: string | null; ply: number | null; sit: boolean };

/** What you look for on a screen: what stands behind the question mark. */
export type Search = Readonly<Record<string, string>>;

/** A room's link (SPEC 20.4). It may end with a ply to look at, or with `play` if you come to play. */
const ROOM = /^#([a-z]{1,32})(?:\.([A-Za-z0-9_-]{16,64}))?(?:\/(\d{1,4}|play))?$/;

/** What the name of a room looks like; the number of a game does not. */
export const ROOM_NAME = /^[a-z]{1,32}$/;

/** The path of a game or a player. */
const PATH = /\/(game|player)\/([^/]+)$/;

/** The folder of this page, even if it was opened at a path below. */
export const root = new URL(PATH.test(location.pathname) ? "../" : "./", location.href).href;

/** What a sentence puts behind a link, and a messenger then takes for a part of it. */
const BEHIND = /[\s.,;:!?…'"’”»)\]}>/]+$/u;

/** A hash without what a sentence puts behind its link. */
const bare = (hash: string): string => decoded(hash).replace(BEHIND, "");

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // none of our links: in them, each percent sign encodes something
  }
}

/**
 * The route that an address names: by its hash, or without a hash by its path. A link that leads nowhere, such
 * as an incomplete one to a room, is `broken`.
 */
export function parseRoute(address: string, path = "/"): Route {
  const [, kind, given = ""] = PATH.exec(path) ?? [];
  if (kind && address.length < 2) return parsePath(kind, given);
  const hash = address.startsWith("#/") ? address : bare(address);
  const [, room, invitation = null, more] = ROOM.exec(hash) ?? [];
  if (room) {
    const ply = more && more !== "play" ? Number(more) : null;
    return { at: "room", room, invitation, ply, sit: more === "play" };
  }
  if (hash.length > 1 && !hash.startsWith("#/")) return { at: "broken" };
  return parseScreen(hash.slice(2));
}

function parsePath(kind: string, given: string): Route {
  if (kind === "player") return { at: "player", name: decoded(given), search: {} };
  const name = bare(given);
  if (/^\d{1,18}$/.test(name)) return { at: "game", game: name, ply: null };
  return ROOM_NAME.test(name) ? parseRoute(`#${name}`) : { at: "broken" };
}

function parseScreen(address: string): Route {
  const [path = "", query] = address.split("?");
  const [screen, given = "", more = ""] = path.split("/");
  const name = decoded(given);
  const search: Search = Object.fromEntries(new URLSearchParams(query));
  if (screen === "rules") return { at: "rules", game: name || null };
  if (screen === "learn") return { at: "learn", game: name || null, lesson: decoded(more) || null };
  if (screen === "replay") return { at: "replay" };
  if (screen === "analysis") return { at: "analysis", name: name || null, data: more };
  if (screen === "games") return { at: "games", search };
  if (screen === "cuts") return { at: "cuts", game: name || null, search };
  if (screen === "ratings") return { at: "ratings", game: name || null };
  if (screen === "player" && name) return { at: "player", name, search };
  if (screen === "game" && name)
    return { at: "game", game: name, ply: /^\d{1,4}$/.test(more) ? Number(more) : null };
  return { at: screen ? "broken" : "home" };
}

/** The address of a room in this page. */
export const roomPath = (room: string, invitation: string | null = null): string =>
  `#${room}${invitation ? `.${invitation}` : ""}`;

/** The address of a game's lessons, or of one of them. */
export const learnPath = (game: string, lesson: string | null = null): string =>
  `#/learn/${game}${lesson ? `/${encodeURIComponent(lesson)}` : ""}`;

/** The address of a player's page, by id or name. */
export const playerPath = (of: string): string => `#/player/${encodeURIComponent(of)}`;

/** The permanent address of a finished game, by feed number or room. */
export const gamePath = (game: string | number): string => `#/game/${game}`;

/** The path that was shown last. */
let pathShown: string;

export const route = signal(present());

/** Where you are now. With a hash, you have left the path at which you arrived. */
function present(): Route {
  const { hash, pathname } = location;
  if (hash.length > 1 && PATH.test(pathname)) history.replaceState(null, "", root + hash);
  pathShown = location.pathname;
  return parseRoute(hash, pathname);
}

addEventListener("hashchange", arrive);
// Back to a path, or forward from one: more than the hash changes.
addEventListener("popstate", () => location.pathname !== pathShown && arrive());

/** Give the focus to the screen, because what had it disappears. */
export const toScreen = (): void => document.getElementById("main")?.focus({ preventScroll: true });

function arrive(): void {
  route.value = present();
  toScreen();
  scrollTo(0, 0);
  // Where there is a game, one of these scrolls.
  for (const scrolled of ["main", "app"]) document.getElementById(scrolled)?.scrollTo(0, 0);
}

/** Keep in the address what you look for on this screen. Going back still leaves the screen. */
export function refine(path: string, search: Search): void {
  const query = new URLSearchParams(Object.entries(search).filter(([, value]) => value)).toString();
  history.replaceState(null, "", root + (query ? `${path}?${query}` : path));
  route.value = present();
}

export function go(hash: string): void {
  location.hash = hash;
}
