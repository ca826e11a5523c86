/** Whom you mute or block (SPEC 21.7): the server keeps it for the user, on any device. */

import type { BlockListEntry } from "@pierule/client";
import { signal } from "@preact/signals";
import { client } from "./server";
import { load, save } from "./storage";

export type BlockLevel = BlockListEntry["level"];

export const blocked = signal<ReadonlyMap<string, BlockLevel>>(new Map());

/** Mute or block a user, or (null) no longer; `name`: what they are called here, as the server lists only
 * their ids. Rejects as requests do. */
export async function setBlock(user: string, level: BlockLevel | null, name?: string | null): Promise<void> {
  show(await client.block(user, level));
  if (level && name) save("blocked", JSON.stringify({ ...keptNames(), [user]: name }));
}

/** What a user was called who was blocked in this browser. */
export const blockedName = (user: string): string | null => keptNames()[user] ?? null;

function keptNames(): Record<string, string> {
  try {
    const names: unknown = JSON.parse(load("blocked") ?? "{}");
    return names !== null && typeof names === "object" ? (names as Record<string, string>) : {};
  } catch {
    return {}; // not by us
  }
}

const show = (list: BlockListEntry[]) => {
  blocked.value = new Map(list.map(({ user, level }) => [user, level]));
};

client.welcomed(() => void client.blockList().then(show, () => {})); // stopped: its status tells
