/** Whom one mutes or blocks (SPEC 21.7): the server keeps it for the user, on any device. */

import type { BlockListEntry } from "@pierule/client";
import { signal } from "@preact/signals";
import { client } from "./server";

export const blocked = signal<ReadonlyMap<string, BlockListEntry["level"]>>(new Map());

/** Mute or block a user, or (null) no longer. Rejects as requests do. */
export async function setBlock(user: string | null, level: BlockListEntry["level"] | null): Promise<void> {
  const { block_list: all } = await client.request({ type: "block", user, level });
  blocked.value = new Map((all ?? []).map((each) => [each.user, each.level]));
}

client.welcomed(() => void setBlock(null, null).catch(() => {})); // stopped: its status tells
