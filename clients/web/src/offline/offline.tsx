/** Says that there is no connection, what works without one, and what does not. */

import { computed, effect, signal } from "@preact/signals";
import { isArchived } from "../archive/source";
import { route } from "../route";
import { known, status, welcome } from "../server";
import { texts } from "../texts";
import { triesAfter, type Tries } from "./failures";

/** After how many failed tries in a row a page that had a connection says that it is offline. A server that
 * restarts is back before that. */
const PATIENT = 5;

const tries = signal<Tries>({ kind: "connecting", failed: 0 });
/** Whether the browser says that it has a network. */
const network = signal(navigator.onLine);

effect(() => void (tries.value = triesAfter(tries.peek(), status.value.kind)));
for (const kind of ["online", "offline"]) addEventListener(kind, () => (network.value = navigator.onLine));

/** Whether there is no connection, and none is expected soon. */
export const offline = computed(() => {
  const { kind } = status.value;
  if (kind === "online" || kind === "stopped") return false;
  return !network.value || tries.value.failed >= (welcome.value ? PATIENT : 1);
});

/** Whether the screen has a board to play on: a game that is loaded, or a lesson, which needs no server. The
 * board needs the space, and the frame says that there is no connection. */
const plays = () => {
  const to = route.value;
  return (to.at === "room" && welcome.value) || (to.at === "learn" && to.lesson && known.value);
};

/** Shown on every screen but those with a board to play on. */
export function Offline() {
  const { offline: words, learn } = texts.value;
  if (!offline.value || plays()) return null;
  return (
    <div class="banner news" role="status">
      <p>
        <strong>{network.value ? words.unreached : words.offline}</strong> {words.works}{" "}
        <a href="#/learn">{learn.title}</a>
        {isArchived.value && (
          <>
            {" · "}
            <a href="#/games">{texts.value.nav.games}</a>
          </>
        )}
      </p>
    </div>
  );
}

/** Stands beside what needs a connection, and says why it does nothing now. */
export const NeedsServer = ({ text }: { text: string }) =>
  offline.value ? (
    <p class="hint-text" role="status">
      {text}
    </p>
  ) : null;
