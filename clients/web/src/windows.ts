/**
 * What the other windows of this page do in this browser. They all have the same user, unless a window was
 * set apart. So the page can tell people who try things out in two windows why nothing happens.
 */

import { computed, effect, signal } from "@preact/signals";
import { route } from "./route";
import { welcome } from "./server";
import { saveHere } from "./storage";
import { visible } from "./visibility";

/** What a window does: who it is, the room that it shows, and what it seeks. */
interface Doing {
  id: string;
  user: string | null;
  room: string | null;
  seeks: string | null;
  /** Whether somebody looks at it. */
  seen: boolean;
}

type Word = Doing | { ask: true } | { gone: string };

const channel = "BroadcastChannel" in window ? new BroadcastChannel("pierule") : null;
const id = crypto.getRandomValues(new Uint32Array(2)).join("-");

/** What this window seeks, as a key: the same for the same wish. */
export const seeks = signal<string | null>(null);
const others = signal<ReadonlyMap<string, Doing>>(new Map());

const doing = computed<Doing>(() => ({
  id,
  user: welcome.value?.user ?? null,
  room: route.value.at === "room" ? route.value.room : null,
  seeks: seeks.value,
  seen: visible.value,
}));

/** Whether another window of the same user does this, too. */
export const twin = computed(() => {
  const { user, room, seeks } = doing.value;
  return [...others.value.values()].some(
    (other) =>
      other.user === user && ((room && other.room === room) || (seeks !== null && other.seeks === seeks)),
  );
});

/** Whether somebody looks at another window of the page. */
export const lookedAt = computed(() => [...others.value.values()].some((other) => other.seen));

const tell = (word: Word) => channel?.postMessage(word);

channel?.addEventListener("message", ({ data }: MessageEvent<Word>) => {
  if ("ask" in data) return tell(doing.value);
  const known = new Map(others.value);
  if ("gone" in data) known.delete(data.gone);
  else known.set(data.id, data);
  others.value = known;
});
effect(() => tell(doing.value));
tell({ ask: true });
addEventListener("pagehide", () => tell({ gone: id }));

/** Make this window a player of its own, a new guest, and load it again at `hash`. */
export function setApart(hash: string): void {
  saveHere("apart", "yes");
  saveHere("token", null);
  history.replaceState(null, "", hash);
  location.reload();
}
