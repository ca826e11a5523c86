/**
 * A game under analysis: the tree, the node that you look at, and the action that is being put together
 * there. The server says what may be played (SPEC 6.15). The tap that completes an action plays it.
 */

import {
  pointIndex,
  Refused,
  type Account,
  type Client,
  type GameDocument,
  type Legal,
  type Line,
  type LineQuestion,
  type PositionState,
} from "@pierule/client";
import { batch, computed, signal, type ReadonlySignal } from "@preact/signals";
import { EMPTY_DRAFT, actionOf, besideOf, partAt, tap, targetsOf, unpick, type Draft } from "../board/draft";
import type { Shown } from "../room/table";
import type { Subject } from "./file";
import * as trees from "./tree";
import { nodeOf, ROOT, type Tree } from "./tree";

/** What the server has said about a node. */
interface Told {
  position: PositionState;
  legal: ReadonlyMap<string, Legal>;
  account: Account | null;
}

const NOTHING: ReadonlyMap<number, number> = new Map();
const NO_ANSWERS: ReadonlyMap<string, Legal> = new Map();

interface Context {
  client: Pick<Client, "analyze" | "replay">;
  /** The document of the game; null until it is loaded. */
  game: ReadonlySignal<GameDocument | null>;
  /** Store the tree, which has changed, and the node that you look at. */
  keep(tree: Tree, at: number): void;
}

export class AnalysisTable {
  readonly tree: ReadonlySignal<Tree>;
  readonly at: ReadonlySignal<number>;
  readonly draft = signal<Draft>(EMPTY_DRAFT);
  /** Why the last tap, or this position, was refused. */
  readonly refused = signal<Refused | null>(null);
  /** Whether the last action did not fit any more. */
  readonly full = signal(false);
  /** The last deletion, which can be taken back: the tree and the node before it. */
  readonly deleted = signal<{ tree: Tree; at: number; count: number } | null>(null);
  /** What the points of a draft would put on the board. */
  private readonly preview = signal<{ key: string; cells: ReadonlyMap<number, number> } | null>(null);
  private readonly told = signal<ReadonlyMap<number, Told>>(new Map());
  private readonly treeNow;
  private readonly atNow;
  /** The node whose position is on the screen: the last one whose position was known. */
  private readonly seen;
  /** The nodes that were played in the game, if there was one. */
  readonly played: ReadonlySet<number>;
  private taps: Promise<unknown> = Promise.resolve();
  private asking = false;
  private closed = false;

  constructor(
    readonly subject: Subject,
    tree: Tree,
    at: number,
    played: readonly string[],
    private readonly context: Context,
  ) {
    this.tree = this.treeNow = signal(tree);
    this.at = this.atNow = signal(at);
    this.seen = signal(at);
    this.played = new Set(trees.find(tree, played) ?? []);
    void this.begin();
  }

  close(): void {
    this.closed = true;
  }

  // --- what is shown ---

  readonly isHere = computed(() => this.told.value.has(this.at.value));
  readonly position = computed(() => this.told.value.get(this.seen.value)?.position ?? null);
  /** The position before that one, to show what has changed; null if it is not known. */
  readonly before = computed(() => {
    const { parent } = nodeOf(this.tree.value, this.seen.value) ?? { parent: null };
    return parent === null ? null : (this.told.value.get(parent)?.position ?? null);
  });
  /** The action that led to what is shown; null at the opening. */
  readonly last = computed(() => nodeOf(this.tree.value, this.seen.value)?.action || null);
  readonly account = computed(() => this.told.value.get(this.seen.value)?.account ?? null);
  readonly line = computed(() => trees.lineThrough(this.tree.value, this.at.value));
  readonly ply = computed(() => nodeOf(this.tree.value, this.at.value).ply);

  // --- what acting needs of a table ---

  readonly state = computed(() => this.position.value && { position: this.position.value });
  readonly viewed = signal<number | null>(null);
  readonly answers = computed(() => this.told.value.get(this.at.value)?.legal ?? NO_ANSWERS);
  private readonly known = computed(() => ({
    legal: this.answers.value,
    segments: this.context.game.value?.segments ?? false,
  }));
  readonly targets = computed(() => targetsOf(this.draft.value, this.known.value));
  readonly action = computed(() => actionOf(this.draft.value, this.known.value));
  readonly shown = computed<Shown>(() => ({
    place: String(this.at.value),
    draft: this.draft.value,
    legal: this.answers.value.get(this.draft.value.prefix) ?? null,
    confirms: false,
  }));

  async send(action: string, seen: Shown): Promise<Refused | null> {
    if (seen === this.shown.value) this.play(action);
    return null;
  }

  async say(word: string, seen: Shown): Promise<Refused | null> {
    if (seen.place === this.shown.value.place) this.play(word);
    return null;
  }

  undo(): void {
    this.draft.value = unpick(this.draft.value);
  }

  /** What the draft would put on the board, by point. */
  readonly ghosts = computed(() => {
    const { picked, places } = this.draft.value;
    const template = this.answers.value.get("")?.template ?? [];
    const position = this.position.value;
    if (!picked.length || !position) return NOTHING;
    if (!template.length)
      return this.preview.value?.key === this.draftKey ? this.preview.value.cells : NOTHING;
    const cell = (at: number) => partAt(places[at]!, template)?.cell ?? 0;
    return new Map(picked.map((point, at) => [pointIndex(point, position.size)!, cell(at)]));
  });

  private get draftKey(): string {
    return `${this.at.value} ${this.draft.value.picked.join()}`;
  }

  // --- moving through the tree ---

  go(id: number): void {
    if (!this.tree.value.nodes.has(id) || id === this.at.value) return;
    this.move(id);
    this.keep();
  }

  /** Go to a ply of the shown line. */
  look(ply: number): void {
    this.go(ply <= 0 ? ROOT : (this.line.value[ply - 1] ?? this.line.value.at(-1) ?? ROOT));
  }

  private move(id: number): void {
    this.atNow.value = id;
    this.draft.value = EMPTY_DRAFT;
    this.refused.value = null;
    this.full.value = false;
    if (this.told.value.has(id)) this.seen.value = id;
    void this.ask();
  }

  // --- changing the tree ---

  /** Play an action that is legal here. */
  play(action: string): void {
    const grown = trees.play(this.tree.value, this.at.value, action);
    this.full.value = grown === null;
    if (!grown) return;
    [this.treeNow.value] = grown;
    this.deleted.value = null;
    this.move(grown[1]);
    this.keep();
  }

  /** Whether you may delete the node that you look at. What was played in the game stays. */
  readonly isRemovable = computed(() => this.at.value !== ROOT && !this.played.has(this.at.value));

  remove(): void {
    if (!this.isRemovable.value) return;
    const [tree, at] = [this.tree.value, this.at.value];
    this.deleted.value = { tree, at, count: trees.below(tree, at).length };
    const { parent } = nodeOf(tree, at);
    this.move(parent!);
    this.treeNow.value = trees.remove(tree, at);
    this.keep();
  }

  /** Take the last deletion back. */
  restore(): void {
    const { value: deleted } = this.deleted;
    if (!deleted) return;
    this.treeNow.value = deleted.tree;
    this.deleted.value = null;
    this.move(deleted.at);
    this.keep();
  }

  promote(): void {
    this.change(trees.promote(this.tree.value, this.at.value));
  }

  annotate(said: { symbol?: trees.Symbol; comment?: string }): void {
    this.change(trees.annotate(this.tree.value, this.at.value, said));
  }

  private change(tree: Tree): void {
    this.treeNow.value = tree;
    this.deleted.value = null;
    this.keep();
  }

  private keep(): void {
    this.context.keep(this.tree.value, this.at.value);
  }

  // --- putting an action together ---

  /** A point was tapped at the node `at`. Taps are handled one after another, and count only while you are
   * there. */
  choose(point: string, at: number, repeated = false): Promise<void> {
    const work = this.taps.then(() => this.tapped(point, at, repeated));
    this.taps = work.catch(() => {});
    return work;
  }

  private async tapped(point: string, at: number, repeated: boolean): Promise<void> {
    if (!(await this.inquire(at))) return;
    if (repeated && this.draft.value.picked.at(-1) === point) return; // a double click counts once
    const step = tap(this.draft.value, point, this.known.value, false);
    this.refused.value = null;
    if (step.kind === "ask") return this.explain(at, step.points);
    if (step.kind === "confirm") return;
    this.draft.value = step.draft;
    if (!(await this.inquire(at))) return;
    const { value: action } = this.action;
    if (step.kind === "picked" && action && !this.targets.value.size) this.play(action);
    else await this.foresee();
  }

  /** Find out why no action has these points. */
  private async explain(at: number, points: string[]): Promise<void> {
    this.refused.value = besideOf(this.known.value);
    if (this.refused.value) return;
    const told = await this.request(at, { points });
    if (!told?.legal.refusal || at !== this.at.value) return;
    this.refused.value = new Refused({ type: "error", id: null, code: "illegal", ...told.legal.refusal });
  }

  /** Find out what the draft would put on the board. */
  private async foresee(): Promise<void> {
    const { picked } = this.draft.value;
    if (!picked.length || this.answers.value.get("")?.template?.length) return;
    const key = this.draftKey;
    const told = await this.request(this.at.value, { points: [...picked] });
    if (told && key === this.draftKey) this.preview.value = { key, cells: new Map(told.legal.preview ?? []) };
  }

  /** Get the answer to what may come next at a node. Resolves to false if there is none, or you have gone
   * on. */
  private async inquire(at: number): Promise<boolean> {
    if (at !== this.at.value) return false;
    const { prefix } = this.draft.value;
    if (this.answers.value.has(prefix)) return true;
    const told = await this.request(at, { prefix });
    if (told) this.learn(at, told.position, { [prefix]: told.legal });
    return told !== null && at === this.at.value;
  }

  // --- asking ---

  /** Get all positions of the line at once, so that you can step through it. */
  private async begin(): Promise<void> {
    const line = this.line.value;
    void this.ask();
    try {
      const positions = await this.context.client.replay(this.lineOf(line));
      batch(() => positions.forEach((position, ply) => this.learn(ply ? line[ply - 1]! : ROOT, position)));
    } catch (error) {
      if (error instanceof Refused) this.refused.value = error;
    }
  }

  /** Ask about the node that you look at, one question at a time. So those who step quickly ask less. */
  private async ask(): Promise<void> {
    if (this.asking) return;
    this.asking = true;
    try {
      for (let at = this.at.value; !this.closed && !this.answers.value.has(""); at = this.at.value) {
        const told = await this.request(at, {}, true);
        if (told) this.learn(at, told.position, { "": told.legal }, told.account, told.before);
        else if (at === this.at.value) break;
      }
    } finally {
      this.asking = false;
    }
  }

  private async request(at: number, question: LineQuestion, account = false) {
    if (!this.tree.value.nodes.has(at)) return null;
    try {
      const line = this.lineOf(trees.pathTo(this.tree.value, at));
      return await this.context.client.analyze(line, question, account);
    } catch (error) {
      if (error instanceof Refused && at === this.at.value) this.refused.value = error;
      return null; // if the client has stopped, its status says why
    }
  }

  private lineOf(ids: readonly number[]): Line {
    const { game, size, rules } = this.subject;
    return { game, size, rules, actions: trees.actionsOf(this.tree.value, ids) };
  }

  private learn(
    id: number,
    position: PositionState,
    legal: Record<string, Legal> = {},
    account?: Account | null,
    before?: PositionState | null,
  ): void {
    const all = new Map(this.told.value);
    const known = all.get(id);
    const answers = new Map([...(known?.legal ?? []), ...Object.entries(legal)]);
    all.set(id, { position, legal: answers, account: account ?? known?.account ?? null });
    const { parent } = this.tree.value.nodes.get(id) ?? { parent: null };
    if (before && parent !== null && !all.has(parent))
      all.set(parent, { position: before, legal: NO_ANSWERS, account: null });
    this.told.value = all;
    if (id === this.at.value) this.seen.value = id;
  }
}
