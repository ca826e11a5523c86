/** The lobby. The page watches it while something on the screen shows it. */

import { type LobbyView, type LobbyWatch } from "@pierule/client";
import { batch, computed, signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ALL, partOf, type Choice } from "./home/finding";
import { client } from "./server";

/** The chosen part of the lobby; null until it comes. */
export const lobby = signal<LobbyView | null>(null);
/** Which part is chosen, until you leave the page. */
export const choice = signal<Choice>(ALL);
/** Whether `lobby` still has an earlier choice. */
export const isLate = signal(false);
const whole = signal<LobbyView | null>(null);
/** What is known about house bots: how many are free, and where they played when the whole lobby last
 * came. */
export const bots = computed(
  () => lobby.value && { bots: lobby.value.bots, rooms: (whole.value ?? lobby.value).rooms },
);
let watchers = 0;
let watch: LobbyWatch | null = null;

export function choose(other: Choice): void {
  choice.value = other;
  isLate.value = true;
  watch?.want(partOf(other));
}

function show(view: LobbyView): void {
  batch(() => {
    lobby.value = view;
    isLate.value = false;
    if (choice.value === ALL) whole.value = view;
  });
}

export function useLobby(): LobbyView | null {
  useEffect(() => {
    if (watchers++ === 0) watch = client.watchLobby(show, partOf(choice.value));
    return () => {
      if (--watchers > 0) return;
      watch?.stop();
      watch = lobby.value = whole.value = null;
    };
  }, []);
  return lobby.value;
}
