/** Whom one mutes or blocks (SPEC 21.7): the server keeps it for the user, on any device. */

import type { Shunned } from "@pierule/client";
import { signal } from "@preact/signals";
import { client } from "./server";

export const shunned = signal<ReadonlyMap<string, Shunned["how"]>>(new Map());

/** Mute or block a user, or (null) no longer. Rejects as requests do. */
export async function shun(user: string | null, how: Shunned["how"] | null): Promise<void> {
  const { shunned: all } = await client.request({ type: "shun", user, how });
  shunned.value = new Map((all ?? []).map((each) => [each.user, each.how]));
}

client.welcomed(() => void shun(null, null).catch(() => {})); // stopped: its status tells
