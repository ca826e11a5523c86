/** A room as one file (SPEC 17), for the download. */

import { positionText, type RoomRecord, type RoomState } from "@pierule/client";
import { client } from "../server";

/** The record of a room, from its log. Rejects as requests do. */
export async function recordOf(state: RoomState): Promise<RoomRecord> {
  const events = await client.log(state.room);
  const { room, epoch, seq, chain, status, position, seats, control } = state;
  return {
    format: "pierule.room",
    version: 1,
    room,
    options: { game: position.game, size: position.size, control: control ?? null },
    seats,
    events: events.slice(0, seq),
    final: {
      place: { epoch, seq, chain },
      status,
      result: state.result ?? null,
      position: positionText(position)!,
      clock: state.clock ?? null,
    },
  };
}
