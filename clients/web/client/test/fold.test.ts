import { expect, test } from "vitest";
import { advance } from "../src/fold.js";
import { Follower } from "../src/follower.js";
import { crc32, pointIndex, pointName, positionDigest, positionText } from "../src/index.js";
import type { Event, RoomState, Snapshot } from "../src/messages.js";
import { known, load } from "./vectors.js";

interface VectorRoom {
  name: string;
  snapshot: Snapshot;
  steps: { event: Event; state: RoomState }[];
}

const rooms: VectorRoom[] = load("fold").rooms;
const states = (room: VectorRoom) => [room.snapshot.state, ...room.steps.map((step) => step.state)];

test.each<any>(load("position").positions)("text and digest of $name", ({ position, text, digest }) => {
  expect(positionText(position)).toBe(text);
  expect(positionDigest(position)).toBe(digest);
});

test("a cell that no board has gives no text", () => {
  const { position } = load("position").positions[0];
  expect(positionText({ ...position, cells: [99, ...position.cells.slice(1)] })).toBeNull();
  expect(positionText({ ...position, cells: position.cells.slice(1) })).toBeNull();
});

test.each<any>(load("chain").events)("the chain at $seq", ({ bytes, before, chain }) => {
  expect(crc32(bytes, before)).toBe(chain);
});

test.each(rooms)("the room $name is followed event by event", (room) => {
  let state = room.snapshot.state;
  for (const step of room.steps) {
    const after = advance(state, step.event);
    expect(known(after, step.state)).toEqual(step.state);
    state = after as RoomState;
  }
});

test.each<any>(load("fold").verdicts)("$name is a $verdict", ({ room, after, event, verdict }) => {
  const state = states(rooms.find(({ name }) => name === room)!)[after]!;
  const found = advance(state, event);
  expect(typeof found === "string" ? found : "next").toBe(verdict);
});

test("a follower asks for a snapshot only when what it has is wrong", () => {
  const [first, ...rest] = rooms[0]!.steps;
  const follower = new Follower();
  follower.snapshot(rooms[0]!.snapshot);
  const place = follower.since;
  expect(follower.event(rest[0]!.event)).toBe("rejoin"); // a hole
  expect(follower.since).toEqual(place);
  expect(follower.event({ ...first!.event, chain: 1 })).toBe("rejoin"); // a fork
  expect(follower.since).toBeNull();
  expect(follower.snapshot(rooms[0]!.snapshot)).toBe("changed");
  expect(follower.event({ ...first!.event, chain: 1 })).toBe("desync");
});

test("a proof goes back with its place, unless it is too long", () => {
  const [first, second, third] = rooms[0]!.steps;
  const follower = new Follower();
  const place = () => {
    const { epoch, seq, chain } = follower.state!;
    return { epoch, seq, chain };
  };
  follower.snapshot({ ...rooms[0]!.snapshot, proof: "p".repeat(64) });
  expect(follower.since).toEqual({ ...place(), proof: "p".repeat(64) });
  follower.event(first!.event);
  expect(follower.since).toEqual(place());
  follower.event({ ...second!.event, proof: "q" });
  expect(follower.since).toEqual({ ...place(), proof: "q" });
  follower.event({ ...third!.event, proof: "r".repeat(65) });
  expect(follower.since).toEqual(place());
});

test("each point has one name", () => {
  for (let index = 0; index < 361; index++) expect(pointIndex(pointName(index, 19), 19)).toBe(index);
  for (const name of ["t1", "a20", "a0", "a01", "A1", "a", "1", "a1b"])
    expect(pointIndex(name, 19)).toBeNull();
});
