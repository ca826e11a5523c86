/** What the operators say, and what the server says about itself (SPEC 1.5, 22.3). */

import { effect, signal } from "@preact/signals";
import { route } from "./route";
import { client } from "./server";
import { loadHere, saveHere } from "./storage";
import type { Texts } from "./texts";

export interface Announcement {
  text: string;
  /** When it will happen, in ms since 1970; null: they did not say. */
  at: number | null;
}

export const announcement = signal<Announcement | null>(null);
/** Why the page was loaded again for another user. They see it until they close it, or go elsewhere: a board
 * needs the room. */
export const changed = signal(loadHere("changed") as keyof Texts["people"]["changed"] | null);
saveHere("changed", null);
const here = route.peek();
effect(() => void (route.value !== here && (changed.value = null)));
/** Whether the server no longer calls your webhook (SPEC 23.13). It says so after every hello: false means
 * that you have read it, null that it has not said so. */
export const webhookOff = signal<boolean | null>(null);
/** When you can enter rated games again after you left too many (SPEC 30.7), in ms since 1970; 0: now. */
export const ratedFrom = signal(0);
let reopening: ReturnType<typeof setTimeout> | undefined;
/** Whether this node is about to end the connection. The client then connects again. */
export const draining = signal(false);

client.hear((news) => {
  if (news.type !== "notice") return;
  if (news.kind === "announcement") announcement.value = { text: news.text ?? "", at: news.at ?? null };
  if (news.kind === "webhook_off") webhookOff.value ??= true;
  if (news.kind === "rated_from") closeRated(news.at ?? 0);
  if (news.kind === "draining") draining.value = true;
});
client.welcomed(() => {
  draining.value = false;
  closeRated(0); // You may be another user now. If it is still true, the server says it again.
});

function closeRated(until: number): void {
  const ms = until - Date.now();
  clearTimeout(reopening);
  ratedFrom.value = ms > 0 ? until : 0;
  if (ms > 0) reopening = setTimeout(() => (ratedFrom.value = 0), ms);
}
