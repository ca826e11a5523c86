import { expect, test } from "vitest";
import type { Event, RoomRecord, RoomState } from "@pierule/client";
import { load } from "../client/test/vectors";
import { actionsOf, chainHolds, readRecord, rulesOf } from "../src/room/record";

interface VectorRoom {
  name: string;
  snapshot: { state: RoomState };
  steps: { event: Event; state: RoomState }[];
}

/** All but those with kinds of events that do not exist: no record has them. */
const rooms = (load("fold").rooms as VectorRoom[]).filter(
  ({ name }) => !["future", "rewritten"].includes(name),
);

test.each(rooms)("the actions that stand in $name", ({ steps }) => {
  const events = steps.map(({ event }) => event);
  const stand = actionsOf({ events } as unknown as RoomRecord);
  const last = steps.at(-1)!.state;
  expect(stand.map(({ action }) => action)).toEqual(last.actions);
  if (stand.length && last.ply) expect(stand.at(-1)!.digest).toBe(last.digest);
});

test("a record is played by the rules that its first event names, or else by the first ones", () => {
  const of = (created: object) => ({ events: [{ record: JSON.stringify(created) }] }) as RoomRecord;
  expect(rulesOf(of({ kind: "created", game: "loose", rules: 3 }))).toBe(3);
  expect(rulesOf(of({ kind: "created", game: "loose" }))).toBe(1);
  expect(rulesOf({ events: [] as object[] } as RoomRecord)).toBe(1);
});

test("events that do not follow each other are found", () => {
  const events = load("chain").events.map((event: object) => ({ ...event, digest: 0 }));
  expect(chainHolds({ events } as RoomRecord)).toBe(true);
  expect(chainHolds({ events: events.slice(1) } as RoomRecord)).toBe(false);
  const changed = events.map((event: { at: number }, index: number) =>
    index === 2 ? { ...event, at: event.at + 1 } : event,
  );
  expect(chainHolds({ events: changed } as RoomRecord)).toBe(false);
});

test("what is no record is none", () => {
  for (const text of ["", "null", "[]", "{}", '{"format": "pierule.room", "version": 2}', "{"])
    expect(readRecord(text)).toBeNull();
});
