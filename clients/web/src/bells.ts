/** How the page calls you when it is your turn and you look elsewhere: with a mark on its icon, and with a
 * notification of the system if you have asked for it. */

import { effect } from "@preact/signals";
import { Calls, type Bells } from "./calls";
import { titleOf } from "./games/words";
import type { MyGame } from "./home/merging";
import { mine } from "./home/mine";
import { go, roomPath, route } from "./route";
import { calling } from "./settings";
import { texts } from "./texts";
import { visible } from "./visibility";
import { lookedAt } from "./windows";

/** A notification, and where it leads: the service worker reads that (`worker/sw.ts`). */
interface Call extends NotificationOptions {
  data: { path: string };
}

/** Whether this browser has notifications at all. */
export const canCall = "Notification" in window && "serviceWorker" in navigator;

/** Ask the browser whether the page may call. */
export async function askToCall(): Promise<boolean> {
  return (await Notification.requestPermission()) === "granted";
}

const registration = () => navigator.serviceWorker.getRegistration();

async function show(game: MyGame): Promise<void> {
  const { calls, room } = texts.value;
  const others = game.names.filter((_, seat) => seat !== game.seat);
  const who = others.map((name) => name ?? room.unnamed).join(texts.value.and);
  const call: Call = {
    body: calls.body(titleOf(game.game, game.size), game.seat == null ? "" : who),
    tag: game.room,
    icon: new URL("icon-192.png", document.baseURI).href,
    data: { path: roomPath(game.room, game.invitation) },
  };
  await (await registration())?.showNotification(calls.title, call);
}

async function close(tag: string): Promise<void> {
  const open = (await (await registration())?.getNotifications({ tag })) ?? [];
  for (const each of open) each.close();
}

const ICON = document.querySelector<HTMLLinkElement>('link[rel="icon"]');
const PLAIN = ICON?.href ?? "";
const MARKED = `data:image/svg+xml,${encodeURIComponent(
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M16 1a15 15 0 1 0 15 15H16z" fill="#12181f"/><circle cx="24" cy="8" r="8" fill="#c2410c"/></svg>',
)}`;

const bells: Bells = {
  mark(games) {
    if (ICON) ICON.href = games ? MARKED : PLAIN;
    const done = games ? navigator.setAppBadge?.(games) : navigator.clearAppBadge?.();
    void done?.catch(() => {}); // a page that is not installed has no badge
  },
  ring(game) {
    // If you look at another window of the page, you see it there.
    const may = canCall && calling.value === "yes" && Notification.permission === "granted";
    if (may && !lookedAt.value) void show(game).catch(() => {}); // the mark stays
  },
  hush(room) {
    if (canCall) void close(room).catch(() => {});
  },
};

// A notification was pressed (`worker/sw.ts`).
navigator.serviceWorker?.addEventListener("message", ({ data }: MessageEvent<{ go?: string }>) => {
  if (data.go) go(data.go);
});

const calls = new Calls(bells);
effect(() => {
  const { value: at } = route;
  calls.know(mine.value, { seen: visible.value, room: at.at === "room" ? at.room : null });
});
