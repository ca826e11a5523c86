/** Short sounds, made on the spot, for those who want them. */

import { sound } from "./settings";

let context: AudioContext | null = null;

const TONES = { action: 330, offer: 520, low: 880 };

/** A soft tap for an action, a higher one for an offer, and for a clock that runs low. */
export function play(what: keyof typeof TONES): void {
  if (sound.value !== "on") return;
  context ??= new AudioContext();
  const [at, gain, tone] = [context.currentTime, context.createGain(), context.createOscillator()];
  tone.frequency.value = TONES[what];
  gain.gain.setValueAtTime(0.15, at);
  gain.gain.exponentialRampToValueAtTime(0.001, at + 0.18);
  tone.connect(gain).connect(context.destination);
  tone.start(at);
  tone.stop(at + 0.2);
}
