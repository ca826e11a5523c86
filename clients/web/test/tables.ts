/** A table over a server of the test's own, which holds its answers back until it is told to give them. */

import type { Legal, LegalPart, RoomState } from "@pierule/client";
import { vi } from "vitest";

const held = vi.hoisted(() => ({
  acts: [] as { turn: number; action: string }[],
  asked: [] as (() => void)[],
  phase: { value: null as unknown },
  turn: { value: 0 },
  known: { value: 0 },
}));

vi.mock("../src/server", () => ({
  client: {
    legal: (_: unknown, prefix: string) =>
      new Promise((resolve) => {
        const turn = held.turn.value;
        const phase = held.phase.value as Phase;
        held.asked.push(() => resolve({ turn, ...legalOf(phase, prefix) }));
      }),
    why: (_: unknown, __: number, { points }: { points: string[] }) =>
      new Promise((resolve) => {
        held.asked.push(() => resolve({ rule: "occupied", points, text: "no" }));
      }),
    act: (_: unknown, turn: number, action: string) =>
      new Promise((resolve) => {
        held.acts.push({ turn, action });
        held.asked.push(() => ((held.known.value = turn + 1), resolve({})));
      }),
  },
  welcome: { value: { features: ["why"] } },
}));
vi.mock("../src/settings", async () => {
  const { signal } = await import("@preact/signals");
  return { confirming: signal("yes") };
});
vi.mock("../src/games/documents", () => ({ gameOf: () => ({ segments: true }) }));
vi.mock("../src/home/mine", () => ({ remember() {} }));

/** A phase of a game, as far as `legal` tells of it. */
export interface Phase {
  name: string;
  game: string;
  actions: string[];
  template?: LegalPart[];
}

/** More actions than that come piece by piece. */
const MANY = 12;

/** What the server answers (SPEC 6.4). */
function legalOf(phase: Phase, prefix: string): Omit<Legal, "turn"> {
  if (phase.template) return { total: 1, template: phase.template };
  const begun = phase.actions.filter((action) => action.startsWith(prefix));
  if (begun.length <= MANY) return { total: begun.length, actions: begun };
  const next = begun.map((action) => action.slice(prefix.length).match(/^[-/]?[a-z]+\d*/)![0]);
  return { total: begun.length, next: [...new Set(next)] };
}

export const POINTS = ["a", "b", "c", "d", "e"].flatMap((column) =>
  [1, 2, 3, 4, 5].map((row) => column + row),
);
const inner = POINTS.filter((point) => /[b-d][2-4]/.test(point));

export const PHASES: Phase[] = [
  { name: "loose play", game: "loose", actions: ["a1", "b2", "c3", "pass"] },
  {
    name: "veletas set-up",
    game: "veletas",
    actions: [],
    template: [
      { what: "shooter", count: 2, points: inner },
      { what: "stone", count: 1, points: POINTS },
    ],
  },
  {
    name: "veletas play",
    game: "veletas",
    actions: [
      ...["b2-b4", "b2-d2", "d4-d1"].flatMap((move) =>
        ["a1", "c3", "b2", "e5"].map((shot) => `${move}/${shot}`),
      ),
      ...["a1", "c3", "e5"],
    ],
  },
  {
    name: "taugo set-up",
    game: "taugo",
    actions: [],
    template: [{ what: "stone", count: 1, points: inner }],
  },
  {
    name: "taugo play",
    game: "taugo",
    actions: ["b2", "c3", "b2-d2", "b2-b4", "c3-e3", "d4-d5", "pass"],
  },
];

/** A room in which this player is to act at each turn, but once in it. */
export class Room {
  readonly id = "kobadimu";
  readonly seats = [0, 1];
  readonly presence = null;
  readonly error = null;
  state: RoomState;
  private heard: (news: object) => void = () => {};

  constructor(readonly phase: Phase) {
    held.phase.value = phase;
    held.acts.length = held.asked.length = held.known.value = 0;
    this.state = this.at(3);
  }

  private at(turn: number): RoomState {
    held.turn.value = turn;
    const position = { game: this.phase.game, size: 5, phase: "play", to_act: 0, cells: [] };
    const actions = Array.from({ length: turn }, () => "a1");
    return {
      room: this.id,
      epoch: 1,
      seq: turn,
      turn,
      ply: turn,
      status: "running",
      actions,
      position,
    } as any;
  }

  get turnOf(): 0 | null {
    return this.state.turn < held.known.value ? null : 0;
  }
  listen(heard: (news: object) => void): () => void {
    this.heard = heard;
    return () => {};
  }
  /** Something has happened: it is another turn. */
  goOn(record: object | null = null): void {
    this.state = this.at(this.state.turn + 1);
    const event = record && { record: JSON.stringify(record) };
    this.heard({ kind: "state", state: this.state, event });
  }
}

/** Let what was promised come to pass. */
const settle = async () => {
  for (let times = 0; times < 20; times++) await Promise.resolve();
};

/** What the page has sent to be played. */
export const acts: readonly { turn: number; action: string }[] = held.acts;

/** Give the oldest answer that is held back; whether there was one. */
export async function answer(): Promise<boolean> {
  const next = held.asked.shift();
  next?.();
  await settle();
  return next !== undefined;
}

export async function answerAll(): Promise<void> {
  while (await answer());
}
