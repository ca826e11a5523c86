/** How events change a room's state, without any rules (SPEC 3.4, 4.2, 6.2). Pure. */

import { crc32 } from "./crc32.js";
import type { Diff, Event, Place, PositionDiff, PositionState, RoomState } from "./messages.js";
import { positionDigest } from "./position.js";

/** Why an event cannot be applied (SPEC 6.2). */
export type Trouble = "duplicate" | "hole" | "fork" | "mismatch";

/** The state after an event, or what is wrong with it. */
export function advance(state: RoomState, event: Event): RoomState | Trouble {
  const trouble = troubleOf(state, event);
  if (trouble) return trouble;
  const after = applyDiff(state, event.diff);
  if (after === null || positionDigest(after.position) !== event.digest) return "mismatch";
  const { epoch, seq, chain, at, digest } = event;
  return { ...after, epoch, seq, chain, at, digest };
}

function troubleOf(known: Place, event: Event): Trouble | null {
  if (event.epoch < known.epoch) return "duplicate";
  const same = event.seq === known.seq && event.chain === known.chain;
  if (event.epoch === known.epoch && (event.seq < known.seq || same)) return "duplicate";
  if (event.seq > known.seq + 1) return "hole";
  const bytes = `${event.epoch} ${event.seq} ${event.record} ${event.at}`;
  const next = event.seq === known.seq + 1 && crc32(bytes, known.chain) === event.chain;
  return next ? null : "fork";
}

/** The state after a diff (SPEC 4.2); null if the diff names a cell that the board does not have. */
export function applyDiff(state: RoomState, diff: Diff): RoomState | null {
  const { position, actions, ...plain } = diff;
  const after: RoomState = { ...state, ...plain };
  if (actions) after.actions = [...state.actions.slice(0, after.ply - actions.length), ...actions];
  else if (diff.ply !== undefined) after.actions = state.actions.slice(0, diff.ply);
  if (position) {
    const changed = applyPosition(state.position, position);
    if (changed === null) return null;
    after.position = changed;
  }
  return after;
}

/** The position after a diff; null if the diff names a cell that the board does not have. */
export function applyPosition(position: PositionState, diff: PositionDiff): PositionState | null {
  const { cells: changes, ...plain } = diff;
  if (!changes) return { ...position, ...plain };
  const cells = [...position.cells];
  for (const [index, value] of changes) {
    if (!(index in cells)) return null;
    cells[index] = value;
  }
  return { ...position, ...plain, cells };
}
