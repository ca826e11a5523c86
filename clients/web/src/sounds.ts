/** Short sounds, for those who want them. They are computed, so the page loads none. */

import { sound } from "./settings";

let context: AudioContext | null = null;
/** How many tones are sounding. */
let tones = 0;

const TONES = { action: 330, turn: 392, offer: 520, low: 880 };
/** How long a phone vibrates, in ms. */
const SHAKE = 40;

/** A soft tap for an action, a higher one if it is your turn now, for an offer, and for a clock that runs
 * low. */
export function play(what: keyof typeof TONES): void {
  // Browsers keep a page silent until the first touch or key.
  if (sound.value !== "on" || navigator.userActivation?.hasBeenActive === false) return;
  if (what === "turn") navigator.vibrate?.(SHAKE);
  context ??= new AudioContext();
  if (context.state === "suspended") void context.resume();
  const [at, gain, tone] = [context.currentTime, context.createGain(), context.createOscillator()];
  tone.frequency.value = TONES[what];
  gain.gain.setValueAtTime(0.15, at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + 0.18);
  tone.connect(gain).connect(context.destination);
  tones++;
  // A running context keeps the processor busy, even in silence.
  tone.onended = () => --tones || void context?.suspend();
  tone.start(at);
  tone.stop(at + 0.2);
}
