/** The one connection of this page, as signals that screens can read. */

import { Client, type Room, type Status, type Welcome } from "@pierule/client";
import { computed, signal } from "@preact/signals";
import { root, route } from "./route";
import { apart, load, save, saveHere } from "./storage";
import type { Texts } from "./texts";

const told = document.querySelector<HTMLMetaElement>('meta[name="pierule-server"]')?.content;

/** Whether the page uses another server than the one that it came from. */
export const isElsewhere = !!told;

/** Where the server is. */
export function address(): string {
  if (told) return told;
  const url = new URL("ws", root);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url.href;
}

type Known = Pick<Welcome, "games" | "features">;

export const status = signal<Status>({ kind: "connecting" });
export const welcome = signal<Welcome | null>(null);
/** What the server last said about itself, even if that was before this page was opened. */
export const known = signal<Known | null>(remembered());
export const storeAway = signal(false);
/** What the server says is wrong with its store. */
export const storeTrouble = signal<string | null>(null);
/** Whether there has been a connection, so that connecting now means connecting again. */
export const seenBefore = signal(false);

/** Whether games against house bots count for ratings here (SPEC 30.9). */
export const ratesBots = computed(() => !!welcome.value?.features.includes("rated_bots"));

/** Whether a request would be answered soon. */
export const connected = computed(() => status.value.kind === "online" && !storeAway.value);

/** Whether a request would have to wait. Before the first connection it is only on its way. */
export const isAway = computed(
  () => !connected.value && (seenBefore.value || status.value.kind !== "connecting"),
);

export const client = begin();

function begin(): Client {
  let token = load("token");
  const made = new Client({
    urls: [address()],
    room: route.value.at === "room" ? route.value.room : null,
    token,
    name: token ? null : load("name"),
    agent: "pierule-web",
    welcomed(news) {
      save("token", (token = news.token));
      save("server", JSON.stringify({ games: news.games, features: news.features }));
      seenBefore.value = true;
    },
  });
  made.listen(() => {
    status.value = made.status;
    const isRefused = made.status.kind === "stopped" && made.status.error.name === "Refused";
    if (isRefused && load("token") !== token) location.reload(); // another window has ended this session
    welcome.value = made.welcome;
    known.value = made.welcome ?? known.value;
    storeAway.value = made.storeAway;
    storeTrouble.value = made.storeTrouble;
  });
  return made;
}

function remembered(): Known | null {
  try {
    const { games, features } = JSON.parse(load("server") ?? "null");
    return Array.isArray(games) && Array.isArray(features) ? { games, features } : null;
  } catch {
    return null; // nothing, or this page did not write it
  }
}

/** Become the user of this token, or a new guest if it is null: forget the games and the account of the
 * previous user, and load the page again. It then says why (`changed`), and shows the `games` that are known.
 * Users who leave their account also leave the screen. */
export function restartAs(
  token: string | null,
  registered: string | null = null,
  changed: keyof Texts["people"]["changed"] | null = null,
  games: readonly object[] | null = null,
): void {
  saveHere("changed", changed);
  if (changed && token === null) history.replaceState(null, "", root);
  save("token", token);
  save("registered", registered);
  save("mine", games && JSON.stringify(games));
  save("blocked", null);
  if (token === null) save("name", null);
  scrollTo(0, 0); // or the browser would scroll to where you were
  location.reload();
}

// Signing out concerns all windows: another one would store its token again.
addEventListener("storage", ({ key, newValue }) => {
  if (key === "pierule.token" && newValue === null && !apart()) location.reload();
});

/** Change your name, in rooms that you join from now on. */
export async function rename(name: string): Promise<void> {
  await client.rename(name);
  save("name", name);
}

/** Follow a room. Returns it, and a function that stops following it. */
export function visit(id: string, invitation: string | null): [Room, () => void] {
  const room = client.join(id, null, invitation);
  return [room, () => client.leave(room)];
}

addEventListener("online", () => client.hurry());
addEventListener("offline", () => client.suspect());
addEventListener("pageshow", () => client.hurry());
document.addEventListener("visibilitychange", () => {
  if (!document.hidden) client.hurry();
});
