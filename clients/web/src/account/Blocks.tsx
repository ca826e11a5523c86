/** Blocks players, and lists those who are muted or blocked (SPEC 21.7). */

import { useEffect, useRef } from "preact/hooks";
import { PlayerLink } from "../archive/PlayerLink";
import { isArchived, source, useAnswer } from "../archive/source";
import { blocked, blockedName, setBlock } from "../blockList";
import { texts } from "../texts";
import { useAttempt } from "./attempt";

interface BlockProps {
  user: string;
  name: string;
}

/** Blocks or unblocks a player. */
export function BlockButton({ user, name }: BlockProps) {
  const { chat, people } = texts.value;
  const { said, busy, attempt } = useAttempt();
  const isBlocked = blocked.value.get(user) === "block";
  const act = () => attempt(() => setBlock(user, isBlocked ? null : "block", name));
  return (
    <>
      <button aria-disabled={busy} onClick={() => !busy && void act()}>
        {isBlocked ? people.unblock : chat.block}
      </button>
      <span class="hint-text" role="status">
        {said || (isBlocked && people.isBlocked)}
      </span>
    </>
  );
}

/** The list's summary, which gets the focus if the button that had it is gone. If the list is gone, too, the
 * button of the settings gets it, so that Escape still closes them. */
function useFocus(many: number) {
  const summary = useRef<HTMLElement>(null);
  const before = useRef(many);
  useEffect(() => {
    if (many < before.current && document.activeElement === document.body)
      (summary.current ?? document.querySelector<HTMLElement>(".gear"))?.focus();
    before.current = many;
  }, [many]);
  return summary;
}

/** Everybody whom you mute or block. */
export function Blocks() {
  const { people } = texts.value;
  const many = blocked.value.size;
  const summary = useFocus(many);
  if (!many) return null;
  return (
    <details class="blocks">
      <summary ref={summary}>{people.blocks(many)}</summary>
      <ul>
        {[...blocked.value].map(([user, level]) => (
          <Blocked key={user} user={user} isMuted={level === "mute"} />
        ))}
      </ul>
    </details>
  );
}

function Blocked({ user, isMuted }: { user: string; isMuted: boolean }) {
  const { chat, people } = texts.value;
  const known = blockedName(user);
  const { answer } = useAnswer(known || !isArchived.value ? null : user, () => source.player(user));
  const name = known ?? answer?.name ?? user;
  const { said, busy, attempt } = useAttempt();
  const verb = isMuted ? chat.hear : people.unblock;
  return (
    <li>
      <PlayerLink name={name} of={user} /> <span class="tag">{isMuted ? chat.muted : people.blocked}</span>{" "}
      <button
        class="link"
        aria-label={`${verb}: ${name}`}
        disabled={busy}
        onClick={() => void attempt(() => setBlock(user, null))}
      >
        {verb}
      </button>{" "}
      <span class="hint-text" role="status">
        {said}
      </span>
    </li>
  );
}
