/** A table over a server of the test's own, which holds its answers back until it is told to give them. */

import { signal } from "@preact/signals";
import type { Legal, LegalPart, RoomState } from "@pierule/client";
import type { TableContext } from "../src/room/table";

const held = {
  acts: [] as { turn: number; action: string }[],
  asked: [] as (() => void)[],
  phase: null as unknown as Phase,
  turn: 0,
  known: 0,
};

/** A promise for what `answer` will give. */
const later = <T>(give: () => T) => new Promise<T>((resolve) => held.asked.push(() => resolve(give())));

const client = {
  welcome: { features: ["why"] },
  legal(_: unknown, prefix: string) {
    const { turn, phase } = held;
    return later(() => ({ turn, ...legalOf(phase, prefix) }));
  },
  why: (_: unknown, __: number, { points }: { points: string[] }) =>
    later(() => ({ rule: "occupied", points, text: "no" })),
  act(_: unknown, turn: number, action: string) {
    held.acts.push({ turn, action });
    return later(() => void (held.known = turn + 1));
  },
};

/** Whether a table has an action confirmed. */
export const confirming = signal<"yes" | "no">("yes");
export const context = {
  client,
  confirming,
  remember() {},
  gameOf: () => ({ segments: true }),
} as unknown as TableContext;

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
  private readonly listeners = new Set<(news: object) => void>();

  constructor(readonly phase: Phase) {
    held.phase = phase;
    held.acts.length = held.asked.length = held.known = 0;
    this.state = this.at(3);
  }

  private at(turn: number): RoomState {
    held.turn = turn;
    const position = { game: this.phase.game, size: 5, phase: "play", to_act: 0, cells: [] };
    const actions = Array.from({ length: turn }, () => "a1");
    return {
      room: this.id,
      epoch: 1,
      seq: turn,
      turn,
      ply: turn,
      status: "running",
      seats: [{ user: "ada", name: "Ada" }, null],
      actions,
      position,
    } as any;
  }

  get turnOf(): 0 | null {
    return this.state.turn < held.known ? null : 0;
  }
  listen(heard: (news: object) => void): () => void {
    this.listeners.add(heard);
    return () => this.listeners.delete(heard);
  }
  /** Tell the table of something. */
  tell(news: object): void {
    for (const heard of this.listeners) heard(news);
  }
  /** Something has happened: it is another turn. */
  goOn(record: object | null = null): void {
    this.become(this.at(this.state.turn + 1), record);
  }
  become(state: RoomState, record: object | null): void {
    this.state = state;
    const event = record && { record: JSON.stringify(record) };
    this.tell({ kind: "state", state, event });
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
