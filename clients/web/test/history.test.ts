/** Positions by ply: those that were seen, and those that the server tells when somebody looks back. */

import type { Client, Line, PositionState, RoomState } from "@pierule/client";
import fc from "fast-check";
import { expect, test } from "vitest";
import { History } from "../src/room/history";

/** A position that says by which actions it came about. */
const positionOf = (actions: readonly string[]): PositionState =>
  ({ game: "loose", size: 5, phase: actions.join(" ") }) as PositionState;

const stateOf = (actions: string[], rules = 1): RoomState =>
  ({ position: positionOf(actions), actions, ply: actions.length, rules }) as RoomState;

/** A server that answers when it is told to, with as many positions as a page has. */
class Server implements Pick<Client, "replay"> {
  readonly asked: Line[] = [];
  private readonly waiting: (() => void)[] = [];

  replay(line: Line, first = 0): Promise<PositionState[]> {
    this.asked.push(line);
    const { actions } = line;
    return new Promise((resolve) =>
      this.waiting.push(() =>
        resolve(
          Array.from({ length: actions.length - first + 1 }, (_, at) =>
            positionOf(actions.slice(0, first + at)),
          ),
        ),
      ),
    );
  }

  async answer(): Promise<boolean> {
    const next = this.waiting.shift();
    next?.();
    for (let turn = 0; turn < 10; turn++) await Promise.resolve();
    return next !== undefined;
  }
}

const known = (history: History) => [...history.positions.value.keys()].sort((one, other) => one - other);

test("seen positions are known, and the others are asked for once", async () => {
  const server = new Server();
  const history = new History(server);
  history.follow(stateOf(["a1", "b2"], 3));
  history.follow(stateOf(["a1", "b2", "c3"], 3));
  expect(known(history)).toEqual([2, 3]);
  void history.complete();
  void history.complete();
  await server.answer();
  expect(known(history)).toEqual([0, 1, 2, 3]);
  expect(server.asked).toEqual([{ game: "loose", size: 5, actions: ["a1", "b2", "c3"], rules: 3 }]);
  expect(history.at(1)).toEqual(positionOf(["a1"]));
  expect(history.at(4)).toBeNull();
});

test("positions that were taken back are not shown, also if they arrive late", async () => {
  const server = new Server();
  const history = new History(server);
  history.follow(stateOf(["a1", "b2", "c3"]));
  void history.complete();
  history.follow(stateOf(["a1"]));
  history.follow(stateOf(["a1", "d4"]));
  await server.answer();
  expect(history.at(1)).toEqual(positionOf(["a1"]));
  expect(history.at(2)).toEqual(positionOf(["a1", "d4"]));
  expect(known(history)).toEqual([0, 1, 2]);
});

test("a line without a room is shown from its start", async () => {
  const server = new Server();
  const history = new History(server);
  const shown = history.show({ game: "loose", size: 5, actions: ["a1", "b2"] });
  await server.answer();
  await shown;
  expect(known(history)).toEqual([0, 1, 2]);
});

test("a refused line is asked for again only when somebody looks again", async () => {
  const refused = new Error("a1 is not empty");
  const asked: number[] = [];
  const history = new History({
    replay: async (_, first = 0) => {
      asked.push(first);
      throw refused;
    },
  });
  await expect(history.show({ game: "loose", size: 5, actions: ["a1", "a1"] })).rejects.toBe(refused);
  await expect(history.complete()).rejects.toBe(refused);
  expect(asked).toEqual([0, 0]);
});

test("an answer without a position ends the questions", async () => {
  const history = new History({ replay: async () => [] });
  await expect(history.show({ game: "loose", size: 5, actions: ["a1"] })).rejects.toThrow("ply 0");
});

// --- at random ---

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ play: fc.constantFrom("a1", "b2", "c3") }) },
  { weight: 2, arbitrary: fc.record({ takeBack: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 3, arbitrary: fc.constant("look" as const) },
  { weight: 3, arbitrary: fc.constant("answer" as const) },
);

test("every position is shown at its own ply", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      const server = new Server();
      const history = new History(server);
      let actions: string[] = [];
      history.follow(stateOf(actions));
      const check = () => {
        expect(known(history).at(-1)).toBe(actions.length);
        for (const ply of known(history)) expect(history.at(ply)).toEqual(positionOf(actions.slice(0, ply)));
      };
      for (const each of steps) {
        if (each === "look") void history.complete();
        else if (each === "answer") await server.answer();
        else {
          actions = "play" in each ? [...actions, each.play] : actions.slice(0, -each.takeBack);
          history.follow(stateOf(actions));
        }
        check();
      }
      void history.complete();
      while (await server.answer()) check();
      expect(known(history)).toHaveLength(actions.length + 1);
    }),
  );
});
