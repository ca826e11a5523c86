/** Who sat where in a record, in words. */

import type { RoomRecord } from "@pierule/client";
import { texts } from "../texts";

type Seated = Pick<RoomRecord, "seats" | "room">;

/** What both players are called: by name, or else by seat. */
export function namesOf({ seats }: Seated): string[] {
  const { room } = texts.value;
  return seats.map((holder, seat) => holder?.name || (seat ? room.second : room.first));
}

/** What a record is called: by its players, or by its room if no name is known. */
export const recordTitle = (record: Seated): string =>
  record.seats.some((holder) => holder?.name)
    ? namesOf(record).join(` ${texts.value.home.versus} `)
    : record.room;
