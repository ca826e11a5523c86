/** Blocks players, and lists those who are muted or blocked (SPEC 21.7). */

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

/** Everybody whom you mute or block. */
export function Blocks() {
  const { people } = texts.value;
  if (!blocked.value.size) return null;
  return (
    <details class="blocks">
      <summary>{people.blocks(blocked.value.size)}</summary>
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
