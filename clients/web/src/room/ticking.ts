/** When a clock that runs shows something else. */

/** Below this, clocks show tenths, in milliseconds. */
export const TENTHS = 10_000;

/** How long a clock with so many ms left shows the same: whole seconds, and tenths at the end. */
export function untilNext(ms: number): number {
  const step = ms <= TENTHS ? 100 : 1000;
  return ms - (Math.ceil(ms / step) - 1) * step;
}
