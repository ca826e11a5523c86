/**
 * A lesson, as a learner goes through it (SPEC 26.11): a tree that contains all boards and refusals, so that
 * it needs no server. Pure but for its signals.
 */

import {
  applyPosition,
  type GameDocument,
  type LessonChoice,
  type LessonNode,
  type LessonTree,
  type PositionState,
  type Why,
} from "@pierule/client";
import { computed, signal } from "@preact/signals";
import { EMPTY_DRAFT, actionOf, tap, targetsOf, unpick, type Draft } from "../board/draft";

/** What was played: by which choice, the board before it, and the one after each of its actions. */
export interface Outcome {
  choice: LessonChoice;
  boards: readonly PositionState[];
}

/** An action that is a word or a number, and so has no point to tap. */
const WORD = /^[a-z]+(:-?\d+)?$/;

/** Why a point was not taken: the rules forbid it, or the lesson does not know what follows (null). */
export interface Aside {
  point: string;
  why: Why | null;
}

export class Lesson {
  private readonly at = signal<{ node: number; position: PositionState }>(null!);
  readonly draft = signal<Draft>(EMPTY_DRAFT);
  readonly outcome = signal<Outcome | null>(null);
  readonly aside = signal<Aside | null>(null);
  /** How many steps were done. */
  readonly step = signal(0);

  constructor(
    private readonly game: GameDocument,
    private readonly tree: LessonTree,
  ) {
    this.begin();
  }

  readonly node = computed<LessonNode>(() => this.tree.nodes[this.at.value.node]!);
  readonly position = computed(() => this.outcome.value?.boards.at(-1) ?? this.at.value.position);
  private readonly legal = computed(() => {
    const actions = this.node.value.choices.map(({ played }) => played[0]!.action);
    return { turn: 0, total: actions.length, actions };
  });
  private readonly answers = computed(() => ({
    legal: new Map([["", this.legal.value]]),
    segments: this.game.segments ?? false,
  }));
  readonly targets = computed(() => targetsOf(this.draft.value, this.answers.value));
  readonly action = computed(() => actionOf(this.draft.value, this.answers.value));
  readonly words = computed(() => this.legal.value.actions.filter((action) => WORD.test(action)));
  /** How many steps there are at most, on the way that you took. */
  readonly steps = computed(() => this.step.value + this.length(this.at.value.node));
  readonly isWrong = computed(() => this.outcome.value?.choice.good === false);
  readonly isDone = computed(() => {
    const choice = this.outcome.value?.choice;
    return choice !== undefined && choice.good !== false && choice.next == null;
  });

  begin(): void {
    this.step.value = 0;
    this.move(0, this.tree.position);
  }

  /** Whether the last tap took a wrong try back. */
  private tookBack = false;

  /** A point was tapped. If it completes an action, it plays it. After a wrong try a tap takes that back, and
   * does nothing else, nor does the second half of a double tap (`repeated`). */
  choose(point: string, repeated = false): void {
    if (this.isWrong.value) {
      if (!repeated) this.undo();
      return;
    }
    const tookBack = this.tookBack && repeated;
    this.tookBack = false;
    if (this.outcome.value || tookBack) return;
    this.aside.value = null;
    const step = tap(this.draft.value, point, this.answers.value, false);
    if (step.kind === "ask") {
      const why = this.draft.value.picked.length ? null : this.node.value.refusals?.[point];
      this.aside.value = { point, why: why ?? null };
    } else if (step.kind !== "confirm") {
      this.draft.value = step.draft;
      if (step.kind === "picked" && !this.targets.value.size && this.action.value)
        this.play(this.action.value);
    }
  }

  /** Play an action that one of the choices begins with. */
  play(action: string): void {
    const choice = this.node.value.choices.find(({ played }) => played[0]!.action === action);
    if (!choice || this.outcome.value) return;
    const boards = [this.at.value.position];
    for (const { diff } of choice.played) {
      const before = boards.at(-1)!;
      boards.push(applyPosition(before, diff) ?? before);
    }
    this.draft.value = EMPTY_DRAFT;
    this.aside.value = null;
    this.outcome.value = { choice, boards };
  }

  /** Take back a wrong try, or else the last point. */
  undo(): void {
    if (!this.isWrong.value) return void (this.draft.value = unpick(this.draft.value));
    this.goOn();
    this.tookBack = true;
  }

  /** Go on: after a good choice to the next node, after a bad one back to this node, and at the end begin
   * again. */
  goOn(): void {
    const { choice, boards } = this.outcome.value!;
    if (this.isDone.value) this.begin();
    else if (choice.good === false) this.move(this.at.value.node, this.at.value.position);
    else {
      this.step.value++;
      this.move(choice.next!, boards.at(-1)!);
    }
  }

  private move(node: number, position: PositionState): void {
    this.at.value = { node, position };
    this.draft.value = EMPTY_DRAFT;
    this.outcome.value = this.aside.value = null;
  }

  /** The steps of the longest way from a node on. */
  private length(node: number): number {
    const good = this.tree.nodes[node]!.choices.filter((choice) => choice.good !== false);
    return 1 + Math.max(0, ...good.map(({ next }) => (next == null ? 0 : this.length(next))));
  }
}
