import { expect, test } from "vitest";
import type { Event, PositionState, RoomRecord, RoomState } from "@pierule/client";
import { load } from "../client/test/vectors";
import { actionsOf, chainHolds, readRecord, rulesOf, wholeOf } from "../src/room/record";

interface VectorRoom {
  name: string;
  snapshot: { state: RoomState };
  steps: { event: Event; state: RoomState }[];
}

/** All but those with kinds of events that do not exist: no record has them. */
const rooms = (load("fold").rooms as VectorRoom[]).filter(
  ({ name }) => !["future", "rewritten"].includes(name),
);

test.each(rooms)("the actions that are not taken back in $name are listed", ({ steps }) => {
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

test("a text that is not a record is not read", () => {
  for (const text of ["", "null", "[]", "{}", '{"format": "pierule.room", "version": 2}', "{"])
    expect(readRecord(text)).toBeNull();
});

const told = (at: number, kind: string, seat?: number) => ({ at, record: JSON.stringify({ kind, seat }) });

test("the time of an action leaves out pauses and what was taken back", () => {
  const events = [
    told(1_000, "created"),
    told(5_000, "seated", 1),
    told(7_000, "acted", 0),
    told(8_000, "paused"),
    told(60_000, "resumed"),
    told(61_000, "acted", 1),
    told(62_000, "offered", 1),
    told(64_000, "taken_back", 0),
    told(69_000, "acted", 1),
    told(70_000, "resigned", 0),
  ];
  expect(actionsOf({ events } as unknown as RoomRecord).map(({ took }) => took)).toEqual([2_000, 5_000]);
});

test.each(rooms)("each listed action in $name has its time", ({ steps }) => {
  const record = { events: steps.map(({ event }) => event) } as unknown as RoomRecord;
  for (const { took } of actionsOf(record)) expect(took).toBeGreaterThanOrEqual(0);
});

const toldOf = (record: object) => ({ record: JSON.stringify(record) });

test("a record of the archive is whole once its last position and its last clocks are known", () => {
  const standing = { rating: 1500, deviation: 90 };
  const ada = { user: "ada", name: "", registered: true, standing };
  const events = [
    toldOf({ kind: "created", seat: 1, ...ada }),
    toldOf({ kind: "seated", seat: 0, user: "bo" }),
  ];
  const seats = [
    { user: "bo", name: "Bo", bot: false },
    { user: "ada", name: "Ada" },
  ];
  const final = { position: "", clock: null };
  const record = { options: { control: null }, seats, events, final } as unknown as RoomRecord;
  const last = {
    game: "loose",
    size: 3,
    cells: Array(9).fill(0),
    score: [0, 0],
    to_act: null,
  } as unknown as PositionState;
  expect(wholeOf(record, null, null)).toBeNull();
  const whole = wholeOf(record, last, null)!;
  expect(whole.final.position).not.toBe("");
  expect(JSON.parse(JSON.stringify(whole.seats))).toEqual([{ user: "bo", name: "" }, ada]);
  const timed = { ...record, options: { control: { kind: "fischer", main: 1 } } } as unknown as RoomRecord;
  expect(wholeOf(timed, last, null)).toBeNull();
  const clock = { running: null } as RoomRecord["final"]["clock"];
  expect(wholeOf(timed, last, clock)!.final.clock).toBe(clock);
  const read = { ...record, final: { ...record.final, position: "known" } };
  expect(wholeOf(read, null, null)).toBe(read);
  const result = { winner: null, reason: "voided" };
  expect(wholeOf({ ...record, final: { ...final, result } } as unknown as RoomRecord, last, null)).toBeNull();
  const holders = [ada, { user: "bo", name: "" }];
  const paired = {
    ...record,
    events: [toldOf({ kind: "created", players: holders })],
  } as unknown as RoomRecord;
  expect(wholeOf(paired, last, null)!.seats).toEqual(holders);
});
