/** What the operators say, and what the server says of itself (SPEC 1.5, 22.3). */

import { signal } from "@preact/signals";
import { client } from "./server";

export interface Announcement {
  text: string;
  /** When it is to happen, in ms since 1970; null: no time was said. */
  at: number | null;
}

export const announcement = signal<Announcement | null>(null);
/** Whether one was told that one's webhook is called no more (SPEC 23.13), which comes after every
 * hello; false: and has read it. */
export const webhookOff = signal<boolean | null>(null);
/** Whether this node is about to end the connection; another one will be made. */
export const draining = signal(false);

client.hear((news) => {
  if (news.type !== "notice") return;
  if (news.kind === "announcement") announcement.value = { text: news.text ?? "", at: news.at ?? null };
  if (news.kind === "webhook_off") webhookOff.value ??= true;
  if (news.kind === "draining") draining.value = true;
});
client.welcomed(() => (draining.value = false));
