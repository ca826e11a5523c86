/** When to try again (SPEC 7, 14). Pure: chance is an argument. */

import { FINAL } from "./codes.js";

const BASE = 500;
const CAP = 8_000;

/** Milliseconds before try number `attempt` (from 0); `chance` is from 0 up to 1. */
export function retryDelay(attempt: number, chance: number): number {
  return chance * Math.min(CAP, BASE * 2 ** attempt);
}

/**
 * Milliseconds before connecting again after `attempt` failed tries; null if the close code `code` forbids
 * it. 1006 means that the connection ended without a close code.
 */
export function reconnectDelay(attempt: number, code: number, chance: number): number | null {
  return FINAL.has(code) ? null : retryDelay(attempt, chance);
}
