/** The lobby, watched for as long as something on the screen shows it. */

import { watchLobby, type LobbyView } from "@pierule/client";
import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { client } from "./server";

/** null: it is not told yet. */
export const lobby = signal<LobbyView | null>(null);
let watchers = 0;
let stop = () => {};

export function useLobby(): LobbyView | null {
  useEffect(() => {
    if (watchers++ === 0) stop = watchLobby(client, (view) => (lobby.value = view));
    return () => {
      if (--watchers > 0) return;
      stop();
      lobby.value = null;
    };
  }, []);
  return lobby.value;
}
