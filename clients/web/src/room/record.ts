/** Reads the record of a room (SPEC 17). Pure. */

import {
  crc32,
  positionDigest,
  positionText,
  type LogEntry,
  type LogRecord,
  type PositionState,
  type RoomRecord,
} from "@pierule/client";

/** The record in a file's text; null if there is none. */
export function readRecord(text: string): RoomRecord | null {
  try {
    const record: unknown = JSON.parse(text);
    return isRecord(record) ? record : null;
  } catch {
    return null;
  }
}

/** Whether a value is a record, as far as the page uses it. */
export function isRecord(value: unknown): value is RoomRecord {
  const record = value as Partial<RoomRecord> | null;
  return (
    record?.format === "pierule.room" &&
    record.version === 1 &&
    Array.isArray(record.events) &&
    typeof record.options?.game === "string" &&
    typeof record.options.size === "number" &&
    Array.isArray(record.seats) &&
    typeof record.final?.position === "string"
  );
}

/** The actions of a record that were not taken back, in order, each with the digest of the board after it.
 * `took` is the time since the turn began, in ms, without pauses. */
export function actionsOf({ events }: RoomRecord): { action: string; digest: number; took: number }[] {
  const stand: { action: string; digest: number; took: number; seat: number }[] = [];
  let [since, paused] = [0, 0];
  for (const { record: text, digest, at } of events) {
    const told = JSON.parse(text) as LogRecord;
    if (told.kind === "paused") paused = at;
    if (told.kind === "resumed") since += at - paused;
    if (told.kind === "acted") stand.push({ action: told.action, digest, took: at - since, seat: told.seat });
    // `seat` allowed it: it goes back to the last turn of the other player, who asked (SPEC 19.4).
    if (told.kind === "taken_back") while (stand.length && stand.pop()!.seat === told.seat);
    if (["created", "seated", "acted", "taken_back"].includes(told.kind)) since = at;
  }
  return stand;
}

/** The version of the rules by which a record was played (SPEC 26.14). */
export function rulesOf({ events: [first] }: RoomRecord): number {
  const created = first && (JSON.parse(first.record) as LogRecord);
  return created?.kind === "created" ? (created.rules ?? 1) : 1;
}

/** Who took which seat, by the events. */
export function holdersOf(events: readonly Pick<LogEntry, "record">[]): RoomRecord["seats"] {
  const seats: RoomRecord["seats"] = [null, null];
  for (const { record: text } of events) {
    const told = JSON.parse(text) as LogRecord;
    if (told.kind === "created" && told.players) return told.players;
    if ((told.kind !== "created" && told.kind !== "seated") || told.seat == null) continue;
    const { seat, user, bot, registered, standing } = told;
    seats[seat] = { user, name: "", bot, registered, standing };
  }
  return seats;
}

/** A record with everything that belongs to it (SPEC 17.1), so that it can be verified; null if the page does
 * not know everything. The archive has neither the last position nor the last clocks (SPEC 27.8): these are
 * `final` and `clock`. If the operators voided a result later, no event says so. */
export function wholeOf(
  record: RoomRecord,
  final: PositionState | null,
  clock: RoomRecord["final"]["clock"],
): RoomRecord | null {
  if (record.final.position) return record;
  const position = final && positionText(final);
  if (!position || (record.options.control && !clock)) return null;
  if (record.final.result?.reason === "voided" && !closedOf(record.events)) return null;
  return { ...record, seats: holdersOf(record.events), final: { ...record.final, position, clock } };
}

/** The latest event with which the server ended a room, or took its result back; null if it did not. */
export function closedOf(events: readonly LogEntry[]): Extract<LogRecord, { kind: "closed" }> | null {
  const records = events.map(({ record }) => JSON.parse(record) as LogRecord);
  return records.filter((record) => record.kind === "closed").at(-1) ?? null;
}

/** Whether the chain of the events holds (SPEC 3.4). */
export function chainHolds(record: RoomRecord): boolean {
  let before = 0;
  return record.events.every(({ epoch, seq, record: text, at, chain }, index) => {
    before = crc32(`${epoch} ${seq} ${text} ${at}`, before);
    return seq === index + 1 && chain === before;
  });
}

/** The first ply whose board differs from the record; null if all match. */
export function firstDifference(
  record: RoomRecord,
  positions: ReadonlyMap<number, PositionState>,
): number | null {
  const actions = actionsOf(record);
  const differs = actions.findIndex(({ digest }, at) => {
    const position = positions.get(at + 1);
    return !position || positionDigest(position) !== digest;
  });
  return differs < 0 ? null : differs + 1;
}
