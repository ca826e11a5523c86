/** What the operators say, and what the server says of itself (SPEC 1.5, 22.3). */

import { signal } from "@preact/signals";
import { client } from "./server";
import { loadHere, saveHere } from "./storage";
import type { Texts } from "./texts";

export interface Announcement {
  text: string;
  /** When it is to happen, in ms since 1970; null: no time was said. */
  at: number | null;
}

export const announcement = signal<Announcement | null>(null);
/** Why the page was loaded again for another user. It is shown until the user closes it. */
export const changed = signal(loadHere("changed") as keyof Texts["people"]["changed"] | null);
saveHere("changed", null);
/** Whether the server said that it no longer calls your webhook (SPEC 23.13), which it says after every
 * hello; false: and you have read it. */
export const webhookOff = signal<boolean | null>(null);
/** From when on the user can enter rated games again, in ms since 1970, after leaving too many (SPEC 30.7); 0: now. */
export const ratedFrom = signal(0);
let closed: ReturnType<typeof setTimeout> | undefined;
/** Whether this node is about to end the connection; another one will be made. */
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
  closeRated(0); // You may be another user now. The server tells it again.
});

function closeRated(until: number): void {
  const ms = until - Date.now();
  clearTimeout(closed);
  ratedFrom.value = ms > 0 ? until : 0;
  if (ms > 0) closed = setTimeout(() => (ratedFrom.value = 0), ms);
}
