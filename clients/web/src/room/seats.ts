/** The two seats of a room, and their colors. Pure. */

import type { Seat } from "@pierule/client";

export type Color = "black" | "white";

export const SEATS: readonly Seat[] = [0, 1];
export const otherOf = (seat: Seat): Seat => (seat === 0 ? 1 : 0);

/** The color of a seat, when Black has the seat `black`; null: nobody has chosen yet. */
export function colorOf(black: number | null, seat: number): Color | null {
  if (black === null) return null;
  return black === seat ? "black" : "white";
}
