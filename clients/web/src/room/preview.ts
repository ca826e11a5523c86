/**
 * What an unfinished action would put on the board: in a set-up as the template says, otherwise as the server
 * says about the picked points (SPEC 26.13). An action that was sent stays in sight until the room has it.
 */

import { pointIndex } from "@pierule/client";
import { computed, effect, signal } from "@preact/signals";
import { partAt } from "../board/draft";
import { client, welcome } from "../server";
import type { Table } from "./table";

type Cells = ReadonlyMap<number, number>;

/** What picked points would put on the board, at the turn and epoch `place`. */
interface Told {
  place: string;
  picked: readonly string[];
  cells: Cells;
}

const NOTHING: Cells = new Map();

export class Preview {
  private readonly told = signal<Told | null>(null);
  private asked = "";
  readonly close: () => void;

  constructor(private readonly table: Table) {
    this.close = effect(() => this.follow());
  }

  /** Cell values by point: of the draft, or of an action that the room does not have yet. */
  readonly cells = computed<Cells>(() => {
    const [told, { state, sent, draft }] = [this.told.value, this.table];
    if (!told || told.place !== this.place) return NOTHING;
    const { picked } = draft.value;
    const { value: way } = sent;
    const isSent = way !== null && way.kind !== "refused" && way.turn >= state.value!.turn;
    const goesOn = picked.length > 0 && told.picked.every((point, at) => picked[at] === point);
    return isSent || goesOn ? told.cells : NOTHING;
  });

  private get place(): string {
    const state = this.table.state.value;
    return state ? `${state.epoch}.${state.turn}` : "";
  }

  private follow(): void {
    const { picked, places, word } = this.table.draft.value;
    const { place } = this;
    const key = `${place} ${picked.join()}`;
    if ((!picked.length && !word) || key === this.asked) return; // a sent action is still shown
    this.asked = key;
    const template = this.table.answers.value.get("")?.template ?? [];
    if (word) this.told.value = null;
    else if (template.length) {
      const { size } = this.table.state.value!.position;
      const values = places.map((at) => partAt(at, template)?.cell ?? 0);
      const cells = new Map(picked.map((point, at) => [pointIndex(point, size)!, values[at]!]));
      this.told.value = { place, picked, cells };
    } else void this.ask(key, place, picked);
  }

  private async ask(key: string, place: string, picked: readonly string[]): Promise<void> {
    if (!welcome.value?.features.includes("why")) return;
    const { room, state } = this.table;
    const { turn } = state.value!;
    const preview = await client.preview(room, turn, [...picked]).catch(() => null);
    if (preview && key === this.asked) this.told.value = { place, picked, cells: new Map(preview) };
  }
}
