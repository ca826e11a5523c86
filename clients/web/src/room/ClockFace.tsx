/** One seat's clock. It runs between events by the server's time, and decides nothing (SPEC 9.9). Spectators
 * with a delay see it stand still, because they do not learn when the turn began. */

import { timeLeft, type Left, type RoomState, type Seat } from "@pierule/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { announce } from "../announce";
import { client, connected } from "../server";
import { play } from "../sounds";
import { texts } from "../texts";
import { untilNext } from "./ticking";
import { timeText } from "./times";

/** From here on a clock looks urgent, in ms. */
const LOW = 15_000;
/** At so many seconds left, the page says so aloud. */
const SAID = [30, 10];

interface ClockFaceProps {
  state: RoomState;
  seat: Seat;
  mine: boolean;
  behind: boolean;
  /** Whether nothing more comes of the room: then the clocks stand. */
  gone: boolean;
  who: string;
}

export function ClockFace({ state, seat, mine, behind, gone, who }: ClockFaceProps) {
  const { clocks } = texts.value;
  const { control, clock } = state;
  const [, tick] = useState(0);
  const stood = useRef<number | null>(null);
  stood.current = gone ? (stood.current ?? client.now()) : null;
  const running = !behind && !gone && clock?.running === seat && clock.paused == null;
  const now = behind ? (clock?.started ?? 0) : (stood.current ?? client.now());
  const left = control && clock ? timeLeft(control, clock, seat, now) : null;
  const shown = left && (left.main || left.period);
  useEffect(() => {
    if (!running || shown === null) return;
    const timer = setTimeout(() => tick((n) => n + 1), untilNext(shown) + 1);
    return () => clearTimeout(timer);
  });
  useWarning(running && mine && shown !== null ? Math.ceil(shown / 1000) : null, who);
  if (!left || shown === null) return null;
  const low = running && shown < LOW;
  // Without a connection the clock shows the worst case: the turn may have ended, or the server may give the
  // time of an outage back.
  const unsure = running && !connected.value;
  const time = timeText(shown);
  const is = { running, low, unsure, long: time.length > "10:00".length };
  const kinds = Object.entries(is).flatMap(([kind, does]) => (does ? [kind] : []));
  return (
    <span
      class={["clock", ...kinds].join(" ")}
      role="timer"
      aria-label={`${who}: ${time}${behind ? `. ${clocks.stand}` : ""}`}
      title={behind ? clocks.stand : undefined}
    >
      <span class="time">
        {unsure && "≈"}
        {time}
      </span>
      <Periods left={left} kind={control!.kind} />
    </span>
  );
}

/** Warn a player who has few seconds left, by voice and by sound; null: their clock stands. */
function useWarning(seconds: number | null, who: string): void {
  const warned = useRef<number | null>(null);
  useEffect(() => {
    if (seconds === null || warned.current === seconds) return;
    warned.current = seconds;
    if (SAID.includes(seconds)) announce(texts.value.clocks.left(who, seconds));
    if (seconds > 0 && seconds <= 10 && !document.hidden) play("low");
  }, [seconds, who]);
}

function Periods({ left, kind }: { left: Left; kind: string }) {
  if (kind !== "byoyomi") return null;
  return <span class="periods">{texts.value.clocks.periods(left.periods)}</span>;
}
