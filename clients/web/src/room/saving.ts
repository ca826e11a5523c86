/** Makes the record of a room (SPEC 17), for the download. */

import { positionText, Refused, type Proof, type RoomRecord, type RoomState } from "@pierule/client";
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

/** The same with a receipt, which proves what the server has acknowledged (SPEC 28.10), if the server signs
 * receipts and still has these events. */
export async function receiptedRecordOf(state: RoomState): Promise<RoomRecord> {
  const [record, receipt] = await Promise.all([recordOf(state), receiptOf(state)]);
  return receipt ? { ...record, receipt } : record;
}

async function receiptOf({ room, epoch, seq, chain }: RoomState): Promise<Proof | null> {
  if (!client.welcome?.features.includes("receipts")) return null;
  try {
    const { key, signature, ...signed } = await client.receipt(room, seq);
    return signed.epoch === epoch && signed.chain === chain ? { key, signature } : null;
  } catch (error) {
    if (error instanceof Refused) return null;
    throw error;
  }
}
