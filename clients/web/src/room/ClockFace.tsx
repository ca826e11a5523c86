/** One seat's clock: it runs between events by the server's time, and decides nothing (SPEC 9.9). To a
 * spectator who is behind it stands: nobody tells them how long ago the turn began. */

import { timeLeft, type Left, type RoomState, type Seat } from "@pierule/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { announce } from "../announce";
import { client, connected } from "../server";
import { play } from "../sounds";
import { texts } from "../texts";
import { TENTHS, untilNext } from "./ticking";

const LOW = 15_000;
const SAID = [30, 10];

interface ClockFaceProps {
  state: RoomState;
  seat: Seat;
  mine: boolean;
  behind: boolean;
  who: string;
}

export function ClockFace({ state, seat, mine, behind, who }: ClockFaceProps) {
  const { clocks } = texts.value;
  const { control, clock } = state;
  const [, tick] = useState(0);
  const running = !behind && clock?.running === seat && clock.paused == null;
  const now = behind ? (clock?.started ?? 0) : client.now();
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
  // Without a connection the worst is shown, as far as the page knows: the turn may have ended, or an outage
  // of the server may be given back.
  const unsure = running && !connected.value;
  return (
    <span
      class={`clock${running ? " running" : ""}${low ? " low" : ""}${unsure ? " unsure" : ""}`}
      role="timer"
      aria-label={`${who}: ${timeText(shown)}${behind ? `. ${clocks.stand}` : ""}`}
      title={behind ? clocks.stand : undefined}
    >
      <span class="time">
        {unsure && "≈"}
        {timeText(shown)}
      </span>
      <Periods left={left} kind={control!.kind} />
    </span>
  );
}

/** Say aloud, and let be heard, that a player has few seconds left; null: their clock stands. */
function useWarning(seconds: number | null, who: string): void {
  const warned = useRef<number | null>(null);
  useEffect(() => {
    if (seconds === null || warned.current === seconds) return;
    warned.current = seconds;
    if (SAID.includes(seconds)) announce(texts.value.clocks.left(who, seconds));
    if (seconds > 0 && seconds <= 10 && !document.hidden) play("low");
  }, [seconds, who]);
}

/** When paused clocks go on by themselves (SPEC 19.6), and whose turn it is then. */
export function Paused({ until, then }: { until: number | null; then: string }) {
  const [, tick] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => tick((n) => n + 1), 500);
    return () => clearInterval(timer);
  }, []);
  const { prompt } = texts.value;
  const left = until === null ? null : timeText(Math.max(0, Math.ceil((until - client.now()) / 1000) * 1000));
  return (
    <p class="prompt">
      {left === null ? prompt.paused : prompt.pausedFor(left)} {then}
    </p>
  );
}

function Periods({ left, kind }: { left: Left; kind: string }) {
  if (kind !== "byoyomi") return null;
  return <span class="periods">{texts.value.clocks.periods(left.periods)}</span>;
}

/** A time as clocks show it: days, hours, minutes; tenths only in the last ten seconds, and not of
 * what is `coarse`. */
export function timeText(ms: number, coarse = false): string {
  const whole = Math.ceil(ms / 1000);
  const two = (n: number) => String(n).padStart(2, "0");
  if (!coarse && ms > 0 && ms < TENTHS) return (Math.ceil(ms / 100) / 10).toFixed(1);
  const [days, hours, minutes] = [
    Math.floor(whole / 86_400),
    Math.floor((whole % 86_400) / 3600),
    Math.floor((whole % 3600) / 60),
  ];
  if (days) return `${texts.value.clocks.days(days)} ${hours}:${two(minutes)}`;
  return hours ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}
