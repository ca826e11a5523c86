/** The actions so far. You can look back at each of them while the game goes on. */

import type { GameDocument } from "@pierule/client";
import { useEffect, useRef } from "preact/hooks";
import { wordText } from "../games/words";
import { KeysLink } from "../Keys";
import { turned } from "../settings";
import { texts } from "../texts";
import type { Color } from "./seats";
import { turnAround, useStepping } from "./stepping";
import { timeText } from "./times";

export interface ActionsProps {
  actions: readonly string[];
  ply: number;
  look: (ply: number) => void;
}

/** The buttons for stepping, which stand beside the board in every layout. */
export function Steps({ actions, ply, live, look }: ActionsProps & { live: boolean }) {
  const { room } = texts.value;
  const last = actions.length;
  const section = useRef<HTMLElement>(null);
  useStepping(section, { ply, last, look });
  const steps = [
    { label: room.toStart, sign: "⇤", to: 0, off: ply === 0 },
    { label: room.back, sign: "←", to: ply - 1, off: ply === 0 },
    { label: room.forth, sign: "→", to: ply + 1, off: ply >= last },
    { label: room.toEnd, sign: "⇥", to: last, off: ply >= last },
  ];
  return (
    <section class="stepping" ref={section} hidden={last === 0}>
      <div class="steps" role="group" aria-label={room.actions}>
        {steps.map(({ label, sign, to, off }) => (
          <button key={sign} aria-label={label} title={label} disabled={off} onClick={() => look(to)}>
            {sign}
          </button>
        ))}
        <button
          aria-label={room.turn}
          title={room.turn}
          aria-pressed={turned.value === "yes"}
          onClick={turnAround}
        >
          ⇅
        </button>
      </div>
      {!live && ply < last && (
        <p class="looking">
          {room.looking(ply, last)}{" "}
          <button class="link" onClick={() => look(last)}>
            {room.newest}
          </button>
        </p>
      )}
    </section>
  );
}

interface ListProps extends ActionsProps {
  /** null until its document is loaded. */
  game: GameDocument | null;
  /** The color that played the action that led to a ply; null: nobody had a color, or it is not known. */
  colorOf?: (ply: number) => Color | null;
  /** How long each action took, in ms. */
  times?: readonly number[];
}

export function Actions({ game, actions, ply, look, colorOf, times }: ListProps) {
  const { room } = texts.value;
  const list = useFollowing(ply, actions.length);
  return (
    <section class="actions" aria-label={room.actions}>
      {actions.length === 0 ? (
        <p class="empty">{room.noActions}</p>
      ) : (
        <ol ref={list} aria-label={room.actions}>
          {actions.map((action, at) => (
            <li key={at}>
              <button
                aria-current={at + 1 === ply}
                tabIndex={at + 1 === (ply || 1) ? 0 : -1}
                onClick={() => look(at + 1)}
              >
                <span class="number">{at + 1}</span> {colorOf && <Played color={colorOf(at + 1)} />}
                {game ? wordText(game, action) : action}
              </button>
              {times && <Took ms={times[at]!} />}
            </li>
          ))}
        </ol>
      )}
      <KeysLink />
    </section>
  );
}

/** Keeps the action that is shown in sight of its list, and the focus there as you step. It stays where it is
 * when somebody plays: you did not ask to go on. */
function useFollowing(ply: number, length: number) {
  const list = useRef<HTMLOListElement>(null);
  const known = useRef(length);
  useEffect(() => {
    const box = list.current;
    const at = box?.querySelector<HTMLElement>('[tabindex="0"]');
    const isStep = known.current === length;
    known.current = length;
    if (!box || !at) return;
    box.scrollTop = ply && at.offsetTop - box.clientHeight / 2;
    if (isStep && box.contains(document.activeElement)) at.focus({ preventScroll: true });
  }, [ply, length]);
  return list;
}

const Took = ({ ms }: { ms: number }) => (
  <time class="took" title={texts.value.replay.took}>
    {timeText(Math.round(ms / 1000) * 1000, true)}
  </time>
);

const Played = ({ color }: { color: Color | null }) =>
  color && <span class={`token ${color}`} role="img" aria-label={texts.value.colors[color]} />;
