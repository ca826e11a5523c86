/**
 * The positions of a game by ply. Those that were seen come by themselves; the others are told by the
 * server when somebody looks back (SPEC 6.11).
 */

import type { Client, Line, PositionState, RoomState } from "@pierule/client";
import { signal } from "@preact/signals";

export class History {
  /** Positions that are known, by ply. */
  readonly positions = signal<ReadonlyMap<number, PositionState>>(new Map());
  private line: Line | null = null;
  private asking = false;

  constructor(private readonly client: Pick<Client, "replay">) {}

  /** The room's newest state: its last position is known, and others may be of no line any more. */
  follow(state: RoomState): void {
    const { position, actions, ply } = state;
    const before = this.line?.actions ?? [];
    let same = 0;
    while (same < before.length && before[same] === actions[same]) same++;
    const kept = [...this.positions.value].filter(([at]) => at <= same);
    this.line = { game: position.game, size: position.size, actions, rules: state.rules ?? null };
    this.positions.value = new Map([...kept, [ply, position]]);
  }

  /** A line that no room has, such as that of a record. */
  show(line: Line): Promise<void> {
    this.line = line;
    return this.complete();
  }

  at(ply: number): PositionState | null {
    return this.positions.value.get(ply) ?? null;
  }

  /** The color that played the action that led to a ply; null: nobody has one yet, or it is not known. */
  colorOf(ply: number): "black" | "white" | null {
    const before = this.positions.value.get(ply - 1);
    if (!before || before.black === null || before.to_act === null) return null;
    return before.to_act === before.black ? "black" : "white";
  }

  /** Ask for what is missing. Rejects with Refused if the line is none. */
  async complete(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    try {
      for (let ply = this.missing(); ply !== null; ply = this.missing()) await this.ask(ply);
    } finally {
      this.asking = false;
    }
  }

  private missing(): number | null {
    const plies = (this.line?.actions.length ?? -1) + 1;
    for (let ply = 0; ply < plies; ply++) if (!this.positions.value.has(ply)) return ply;
    return null;
  }

  private async ask(first: number): Promise<void> {
    const line = this.line!;
    const positions = await this.client.replay(line, first);
    if (!positions.length) throw new Error(`no position at ply ${first}`); // or it would be asked for without end
    const stands = positions
      .map((position, at): [number, PositionState] => [first + at, position])
      .filter(([ply]) => line.actions.slice(0, ply).every((a, i) => a === this.line?.actions[i]));
    this.positions.value = new Map([...stands, ...this.positions.value]);
  }
}
