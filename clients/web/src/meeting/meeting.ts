/** How games come about: what one waits for, and who asks for a game. All that changes it is here. */

import {
  Refused,
  foldChallenges,
  want,
  type Challenged,
  type Control,
  type Want,
  type Wanted,
} from "@pierule/client";
import { effect, signal } from "@preact/signals";
import { announce } from "../announce";
import { go, roomPath } from "../route";
import { client } from "../server";
import { play } from "../sounds";
import { loadHere, saveHere } from "../storage";
import { texts } from "../texts";
import { seeks } from "../windows";

/** What one waits for, since when by `Date.now()`. */
export interface Waiting {
  what: Want & { size: number };
  since: number;
  wanted: Wanted;
}

export const waiting = signal<readonly Waiting[]>([]);
/** The challenges that stand against one. */
export const incoming = signal<readonly Challenged[]>([]);
/** Why nothing came of something that was waited for, or of an answer. */
export const failed = signal<Refused | null>(null);
/** A game that has begun while one plays another. */
export const ready = signal<string | null>(null);
/** Whether one is in the midst of a game, from which nothing may lead away. */
export const engaged = signal(false);

/** For how long a window that was loaded again goes on seeking, in ms. */
const RESUME = 30_000;

export const keyOf = (what: { game: string; size: number; control?: Control | null }): string =>
  JSON.stringify([what.game, what.size, Object.entries(what.control ?? {}).sort()]);

/** What one seeks; null: nothing. */
export const seeking = (): Waiting | null => waiting.value.find(({ what }) => what.type === "seek") ?? null;

/** Seek an opponent, or challenge one, and go to the room when there is one. One seeks one thing. */
export function wait(what: Waiting["what"]): void {
  failed.value = null;
  if (what.type === "seek") void seeking()?.wanted.withdraw();
  const wanted = want(client, what);
  const entry = { what, since: Date.now(), wanted };
  waiting.value = [
    ...waiting.value.filter((other) => other.what.type !== "seek" || what.type !== "seek"),
    entry,
  ];
  wanted.room
    .then(
      (room) => void (room && enter(room)),
      (error: Error) => void (error instanceof Refused && (failed.value = error)),
    )
    .finally(() => (waiting.value = waiting.value.filter((other) => other !== entry)));
}

/** Accept a challenge, or decline it. */
export async function answer({ challenge }: Challenged, accept: boolean): Promise<void> {
  failed.value = null;
  try {
    const { room } = await client.request({ type: "answer", challenge, accept });
    if (room) enter(room);
  } catch (error) {
    if (error instanceof Refused) failed.value = error;
  }
  incoming.value = incoming.value.filter((other) => other.challenge !== challenge);
}

function enter(room: string): void {
  play("offer");
  announce(texts.value.meeting.begins);
  if (engaged.value) ready.value = room;
  else go(roomPath(room));
}

client.welcomed(() => (incoming.value = [])); // those that stand are told again
client.hear((news) => {
  const before = incoming.value;
  incoming.value = foldChallenges(before, news);
  if (news.type !== "challenged" || before.some(({ challenge }) => challenge === news.challenge)) return;
  play("offer");
  announce(texts.value.meeting.challenged(news.name || texts.value.room.unnamed));
});

effect(() => {
  const sought = seeking()?.what;
  const clock = sought?.clock as Control | null | undefined;
  seeks.value = sought ? keyOf({ ...sought, control: clock ?? null }) : null;
});

// A window that is loaded again while it seeks goes on.
addEventListener("pagehide", () => {
  const sought = seeking()?.what;
  if (sought) saveHere("seek", JSON.stringify({ what: sought, at: Date.now() }));
});
const kept = loadHere("seek");
saveHere("seek", null);
if (kept) {
  const { what, at } = JSON.parse(kept) as { what: Waiting["what"]; at: number };
  if (Date.now() - at < RESUME) wait(what);
}
