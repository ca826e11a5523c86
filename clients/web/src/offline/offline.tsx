/** That there is no connection, what works all the same, and what needs one. */

import { computed, effect, signal } from "@preact/signals";
import { isArchived } from "../archive/source";
import { route } from "../route";
import { known, status, welcome } from "../server";
import { texts } from "../texts";
import { triesAfter, type Tries } from "./failures";

/** So many tries in a row fail before a page that had a connection says more than that it waits: a
 * server that starts again is back before. */
const PATIENT = 5;

const tries = signal<Tries>({ kind: "connecting", failed: 0 });
/** What the browser says of its network. */
const network = signal(navigator.onLine);

effect(() => void (tries.value = triesAfter(tries.peek(), status.value.kind)));
for (const kind of ["online", "offline"]) addEventListener(kind, () => (network.value = navigator.onLine));

/** Whether there is no connection, and it is not known that there will be one soon. */
export const offline = computed(() => {
  const { kind } = status.value;
  if (kind === "online" || kind === "stopped") return false;
  return !network.value || tries.value.failed >= (welcome.value ? PATIENT : 1);
});

/** Whether the screen is a game that is there already, or a lesson, which needs no server: there the board
 * needs the room, and the frame says that there is no connection. */
const plays = () => {
  const to = route.value;
  return (to.at === "room" && welcome.value) || (to.at === "learn" && to.lesson && known.value);
};

/** On every screen but those where a board is played on. */
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

/** Beside what needs a connection: why it does nothing now. */
export const NeedsServer = ({ text }: { text: string }) =>
  offline.value ? (
    <p class="hint-text" role="status">
      {text}
    </p>
  ) : null;
