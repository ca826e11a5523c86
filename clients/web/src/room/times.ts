/** Times as clocks show them, in the chosen language. */

import { texts } from "../texts";
import { TENTHS } from "./ticking";

/** A time in days, hours, minutes and seconds; with tenths in the last ten seconds, unless it is `coarse`. */
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

/** A time in whole seconds, at least 0. */
export const wholeText = (ms: number): string => timeText(Math.max(0, Math.ceil(ms / 1000)) * 1000, true);

/** That the clocks are paused, and until when (SPEC 19.6); null: until the players agree to continue. */
export function pausedText(until: number | null, now: number): string {
  const { prompt } = texts.value;
  return until === null ? prompt.paused : prompt.pausedFor(wholeText(until - now));
}
