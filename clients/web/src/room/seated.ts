/** Who sat where in a record, in words. */

import type { RoomRecord } from "@pierule/client";
import { texts } from "../texts";

type Seated = Pick<RoomRecord, "seats" | "room">;

/** The names of both players; by seat if there is no name. */
export function namesOf({ seats }: Seated): string[] {
  const { room } = texts.value;
  return seats.map((holder, seat) => holder?.name || (seat ? room.second : room.first));
}

/** The title of a record: its players, or its room if no name is known. */
export const recordTitle = (record: Seated): string =>
  record.seats.some((holder) => holder?.name)
    ? namesOf(record).join(` ${texts.value.home.versus} `)
    : record.room;
