/**
 * The positions of a game by ply. The page keeps those that it has seen, and asks the server for the others
 * when somebody looks back (SPEC 6.11).
 */

import type { Client, Line, PositionState, RoomState } from "@pierule/client";
import { signal } from "@preact/signals";
import { colorOf, type Color } from "./seats";

export class History {
  /** Positions that are known, by ply. */
  readonly positions = signal<ReadonlyMap<number, PositionState>>(new Map());
  private line: Line | null = null;
  private asking = false;

  constructor(private readonly client: Pick<Client, "replay">) {}

  /** Take the room's newest state: keep its position, and drop those that were taken back. */
  follow(state: RoomState): void {
    const { position, actions, ply } = state;
    const before = this.line?.actions ?? [];
    let same = 0;
    while (same < before.length && before[same] === actions[same]) same++;
    const kept = [...this.positions.value].filter(([at]) => at <= same);
    this.line = { game: position.game, size: position.size, actions, rules: state.rules ?? null };
    this.positions.value = new Map([...kept, [ply, position]]);
  }

  /** Take a line that has no room, such as that of a record, and ask for its positions. Rejects as
   * `complete`. */
  show(line: Line): Promise<void> {
    this.line = line;
    return this.complete();
  }

  at(ply: number): PositionState | null {
    return this.positions.value.get(ply) ?? null;
  }

  /** The color that played the action that led to a ply; null: nobody had a color, or it is not known. */
  colorOf(ply: number): Color | null {
    const before = this.positions.value.get(ply - 1);
    return before && before.to_act !== null ? colorOf(before.black, before.to_act) : null;
  }

  /** Ask for what is missing. Rejects as requests do: with Refused if the line is not legal. */
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
    if (!positions.length) throw new Error(`no position at ply ${first}`); // or we would ask without end
    const stands = positions
      .map((position, at): [number, PositionState] => [first + at, position])
      .filter(([ply]) => line.actions.slice(0, ply).every((a, i) => a === this.line?.actions[i]));
    this.positions.value = new Map([...stands, ...this.positions.value]);
  }
}
