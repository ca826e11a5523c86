import { expect, test } from "vitest";
import { timeLeft, type Event, type RoomRecord, type RoomState } from "@pierule/client";
import { load } from "../client/test/vectors";
import { clocksOf } from "../src/replay/clocks";

interface VectorRoom {
  name: string;
  snapshot: { state: RoomState };
  steps: { event: Event; state: RoomState }[];
}

/** Rooms with clocks, whose first event is not among the vectors, as it is in the snapshot. */
const rooms = (load("fold").rooms as VectorRoom[]).filter(({ snapshot }) => snapshot.state.control);

/** What a room of the vectors was made by. */
function createdOf({ snapshot: { state } }: VectorRoom) {
  const seat = state.seats.findIndex((holder) => holder !== null);
  const record = { kind: "created", seat: seat < 0 ? null : seat };
  return { at: state.at, record: JSON.stringify(record) };
}

test.each(rooms)("after every event the clocks of $name are those of the room", (room) => {
  const events = [createdOf(room), ...room.steps.map(({ event }) => event)];
  const options = { control: room.snapshot.state.control };
  room.steps.forEach(({ state }, index) => {
    const record = { options, events: events.slice(0, index + 2) } as unknown as RoomRecord;
    const found = clocksOf(record, state.position.to_act)!;
    expect(found.final.clock).toEqual({ ...state.clock, paused: state.clock!.paused ?? null });
    if (state.status === "running") expect(found.moments).toHaveLength(state.ply + 1);
  });
});

/** Turns of hands that have not played yet. */
const first = load("clocks").settle.filter(({ control, before }: any) =>
  load("clocks").begin.some(
    (begin: any) => JSON.stringify([begin.control, begin.hand]) === JSON.stringify([control, before]),
  ),
);

test.each<any>(first)("a turn of $control.kind with compensation of $given", (turn) => {
  const { control, started, at, given, after } = turn;
  const told = (at: number, record: object) => ({ at, record: JSON.stringify(record) });
  const events = [
    told(0, { kind: "created", seat: 0 }),
    told(started, { kind: "seated", seat: 1 }),
    ...given.map((given: number) => told(at, { kind: "acted", seat: 0, given })),
  ];
  const record = { options: { control }, events } as unknown as RoomRecord;
  expect(clocksOf(record, 1)!.final.clock.hands[0]).toEqual(after);
});

test("without clocks, and with clocks of another kind, there is nothing to show", () => {
  for (const control of [null, { kind: "hourglass" }]) {
    const record = { options: { control }, events: [] } as unknown as RoomRecord;
    expect(clocksOf(record, 0)).toBeNull();
  }
});

test("by ply the clocks show what was left when its position arose", () => {
  const control = { kind: "fischer", main: 60, increment: 2 };
  const told = (at: number, kind: string, seat?: number) => ({ at, record: JSON.stringify({ kind, seat }) });
  const events = [
    told(0, "created", 0),
    told(10_000, "seated", 1),
    told(15_000, "acted", 0),
    told(18_000, "acted", 1), // who then acts once more in the same turn
    told(25_000, "acted", 1),
    told(30_000, "resigned", 0),
  ];
  const record = { options: { control }, events } as unknown as RoomRecord;
  const { moments, final } = clocksOf(record, 0)!;
  const shown = [...moments, final].map(({ clock, at }) =>
    ([0, 1] as const).map((seat) => timeLeft(record.options.control!, clock, seat, at).main / 1000),
  );
  expect(shown).toEqual([
    [60, 60],
    [57, 60],
    [57, 57],
    [57, 52],
    [52, 52],
  ]);
});
