/** Whom you mute or block (SPEC 21.7). The server keeps the list, so it is the same on every device. */

import type { BlockListEntry } from "@pierule/client";
import { signal } from "@preact/signals";
import { client } from "./server";
import { load, save } from "./storage";

export type BlockLevel = BlockListEntry["level"];

export const blocked = signal<ReadonlyMap<string, BlockLevel>>(new Map());

/** Mute or block a user; null: neither any more. This browser keeps their `name`, because the server lists
 * only ids. Rejects as requests do. */
export async function setBlock(user: string, level: BlockLevel | null, name?: string | null): Promise<void> {
  show(await client.block(user, level));
  if (level && name) save("blocked", JSON.stringify({ ...keptNames(), [user]: name }));
}

/** The name of a user that you blocked in this browser; null: it is not known here. */
export const blockedName = (user: string): string | null => keptNames()[user] ?? null;

function keptNames(): Record<string, string> {
  try {
    const names: unknown = JSON.parse(load("blocked") ?? "{}");
    return names !== null && typeof names === "object" ? (names as Record<string, string>) : {};
  } catch {
    return {}; // this page did not write it
  }
}

const show = (list: BlockListEntry[]) => {
  blocked.value = new Map(list.map(({ user, level }) => [user, level]));
};

client.welcomed(() => void client.blockList().then(show, () => {})); // it has stopped, as its status says
