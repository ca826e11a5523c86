/** Whom one mutes or blocks (SPEC 21.7): the server keeps it for the user, on any device. */

import type { BlockListEntry } from "@pierule/client";
import { signal } from "@preact/signals";
import { client } from "./server";

export const blocked = signal<ReadonlyMap<string, BlockListEntry["level"]>>(new Map());

/** Mute or block a user, or (null) no longer. Rejects as requests do. */
export async function setBlock(user: string, level: BlockListEntry["level"] | null): Promise<void> {
  show(await client.block(user, level));
}

const show = (list: BlockListEntry[]) => {
  blocked.value = new Map(list.map(({ user, level }) => [user, level]));
};

client.welcomed(() => void client.blockList().then(show, () => {})); // stopped: its status tells
