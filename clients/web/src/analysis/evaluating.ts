/**
 * What the server's search says about the positions of an analysis (SPEC 27.17): about a line when you ask,
 * and from then on about each position that you come to.
 */

import { ArchiveError, Refused, type Archive, type archive, type Client } from "@pierule/client";
import { batch, computed, effect, signal } from "@preact/signals";
import { swingsOf, type Step } from "./swings";
import type { AnalysisTable } from "./table";
import { ROOT, actionsOf, pathTo } from "./tree";

/** Why there is no evaluation. */
export type Trouble = "playing" | "unable" | "long" | "busy" | "away";

interface Context {
  source: Pick<Archive, "evaluations">;
  client: Pick<Client, "analyze">;
}

/** How long you must stay at a position before it is evaluated, in ms: while you step on, it is not. */
const REST = 300;

export class Evaluating {
  /** Whether you have asked for evaluations. */
  readonly on = signal(false);
  readonly running = signal(false);
  readonly trouble = signal<Trouble | null>(null);
  /** Evaluations by node. */
  private readonly known = signal<ReadonlyMap<number, archive.Evaluated>>(new Map());
  /** What seat 0 can expect at a node, by node, as the search sees it from one action earlier. */
  private readonly played = signal<ReadonlyMap<number, number>>(new Map());
  private asking = new AbortController();
  /** The node at which you stopped the evaluation: it does not start again there by itself. */
  private readonly stopped = signal<number | null>(null);
  private readonly unwatch: () => void;

  constructor(
    private readonly table: AnalysisTable,
    private readonly context: Context,
  ) {
    this.unwatch = effect(() => this.watch());
  }

  close(): void {
    this.unwatch();
    this.stop();
  }

  /** The evaluation of the position that you look at; null: none yet. */
  readonly here = computed(() => this.known.value.get(this.table.at.value) ?? null);

  private readonly shown = computed(() => [ROOT, ...this.table.line.value]);
  /** The line that was evaluated last. */
  private readonly chosen = signal<readonly number[]>([]);

  /** The nodes of the line whose curve is drawn, from the opening on. The curve stays while you look at
   * variations of the line. */
  readonly line = computed(() => {
    const [shown, chosen] = [this.shown.value, this.chosen.value];
    const isThere = chosen.every((id) => this.table.tree.value.nodes.has(id));
    return isThere && chosen.some((id, ply) => shown[ply] !== id) ? chosen : shown;
  });

  /** The ply of that line at which you are, or at which you left it. */
  readonly ply = computed(() => {
    const path = pathTo(this.table.tree.value, this.table.at.value);
    const left = path.findIndex((id, at) => this.line.value[at + 1] !== id);
    return left < 0 ? path.length : left;
  });

  /** Whether the curve is that of the shown line, and complete. */
  readonly isDone = computed(
    () => this.line.value === this.shown.value && this.done.value === this.line.value.length,
  );

  readonly steps = computed<Step[]>(() =>
    this.line.value.map((id, ply, all) => ({
      here: this.known.value.get(id) ?? null,
      played: this.played.value.get(all[ply + 1] ?? -1) ?? null,
    })),
  );

  readonly swings = computed(() => swingsOf(this.steps.value));

  /** How many positions of the line are known. */
  readonly done = computed(() => this.steps.value.filter(({ here }) => here).length);

  /** Evaluate the shown line, as far as it is not known. */
  async run(): Promise<void> {
    batch(() => {
      this.on.value = true;
      this.chosen.value = this.shown.value;
    });
    const first = this.steps.value.findIndex(
      ({ here, played }, ply, { length }) => !here || (played === null && ply + 1 < length),
    );
    if (first >= 0) await this.ask(this.line.value.slice(1), first);
  }

  stop(): void {
    this.asking.abort();
    batch(() => {
      this.stopped.value = this.table.at.peek();
      this.running.value = false;
    });
  }

  /** Evaluate a position that you have come to, once you stay there. */
  private watch(): void | (() => void) {
    const { at, answers, tree } = this.table;
    const isWanted = this.on.value && !this.running.value && !this.here.value && !this.trouble.value;
    if (!isWanted || this.stopped.value === at.value || !answers.value.has("")) return;
    const line = pathTo(tree.peek(), at.value);
    const timer = setTimeout(() => void this.ask(line, line.length), REST);
    return () => clearTimeout(timer);
  }

  private async ask(line: readonly number[], first: number): Promise<void> {
    this.asking.abort();
    const { signal } = (this.asking = new AbortController());
    batch(() => {
      this.running.value = true;
      this.stopped.value = null;
      this.trouble.value = null;
    });
    const { game, size, rules } = this.table.subject;
    const actions = actionsOf(this.table.tree.value, line);
    try {
      // The server knows whether you are playing this game just now; the archive's API does not (SPEC 6.15).
      await this.context.client.analyze({ game, size, rules, actions }, {});
      if (signal.aborted) return;
      const query = { size, rules, first };
      for await (const found of this.context.source.evaluations(game, actions, query, signal)) {
        if (signal.aborted) return;
        this.learn([ROOT, ...line], found);
      }
    } catch (error) {
      if (!signal.aborted) this.trouble.value = troubleOf(error);
    } finally {
      if (!signal.aborted) this.running.value = false;
    }
  }

  private learn(line: readonly number[], found: archive.Evaluated): void {
    batch(() => {
      this.known.value = new Map(this.known.value).set(line[found.ply]!, found);
      const next = line[found.ply + 1];
      if (found.played !== null && next !== undefined)
        this.played.value = new Map(this.played.value).set(next, found.played);
    });
  }
}

export function troubleOf(error: unknown): Trouble {
  if (error instanceof Refused) return error.code === "not_now" ? "playing" : "away";
  if (!(error instanceof ArchiveError)) return "away";
  if (error.status === 404) return "unable";
  if (error.status === 400 || error.status === 414) return "long";
  return error.status === 429 || error.status === 503 ? "busy" : "away";
}
