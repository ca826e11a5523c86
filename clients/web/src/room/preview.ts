/**
 * What an action that is not played yet would put on the board: in a set-up by what the template says,
 * else by what the server tells of the points that were picked (SPEC 26.13). What was sent is shown
 * until it is in the room.
 */

import { pointIndex } from "@pierule/client";
import { computed, effect, signal } from "@preact/signals";
import { partAt } from "../board/draft";
import { client, welcome } from "../server";
import type { Table } from "./table";

type Cells = ReadonlyMap<number, number>;

/** What was told of points that were picked at a place. */
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

  /** Cell values by point: of the draft, or of what is on its way and not in the room yet. */
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
    if ((!picked.length && !word) || key === this.asked) return; // of what was sent it is told still
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
