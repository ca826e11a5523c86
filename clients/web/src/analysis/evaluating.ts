/**
 * What the server's search says of the positions of an analysis (SPEC 27.17): of a line when somebody
 * asks, and from then on of each position that they come to.
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

/** Whoever steps through a game is not told of each position, in ms. */
const REST = 300;

export class Evaluating {
  /** Whether somebody has asked. */
  readonly on = signal(false);
  readonly running = signal(false);
  readonly trouble = signal<Trouble | null>(null);
  /** Evaluations by node, and of nodes what seat 0 may expect there as it is seen one action earlier. */
  private readonly known = signal<ReadonlyMap<number, archive.Evaluated>>(new Map());
  private readonly played = signal<ReadonlyMap<number, number>>(new Map());
  private asking = new AbortController();
  /** The node at which somebody has stopped: it is not evaluated by itself. */
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

  /** The position that is looked at. */
  readonly here = computed(() => this.known.value.get(this.table.at.value) ?? null);

  private readonly shown = computed(() => [ROOT, ...this.table.line.value]);
  /** The line that was evaluated last. */
  private readonly chosen = signal<readonly number[]>([]);

  /** The nodes of the line whose curve is drawn, from the opening on. It stays while somebody looks at
   * variations of it. */
  readonly line = computed(() => {
    const [shown, chosen] = [this.shown.value, this.chosen.value];
    const isThere = chosen.every((id) => this.table.tree.value.nodes.has(id));
    return isThere && chosen.some((id, ply) => shown[ply] !== id) ? chosen : shown;
  });

  /** Where somebody is on that line, or has left it. */
  readonly ply = computed(() => {
    const path = pathTo(this.table.tree.value, this.table.at.value);
    const left = path.findIndex((id, at) => this.line.value[at + 1] !== id);
    return left < 0 ? path.length : left;
  });

  /** Whether the line that is shown is that of the curve, and known as a whole. */
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

  /** Evaluate what is not known of the line that is shown. */
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

  /** Evaluate the position that somebody has come to, once they stay. */
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
      // The server knows whether somebody is playing this just now; those who evaluate do not (SPEC 6.15).
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
