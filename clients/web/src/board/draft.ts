/**
 * An action that is being put together, point by point, out of what `legal` says (SPEC 6.4). Pure:
 * no rules are known here, only how actions are written (SPEC 8.1).
 */

import type { Legal, LegalPart } from "@pierule/client";

/** `picked` are the points so far; `prefix` is what `legal` was asked for with them. */
export interface Draft {
  picked: readonly string[];
  prefix: string;
}

export const EMPTY_DRAFT: Draft = { picked: [], prefix: "" };

/** What `legal` has answered, by prefix, for the position at hand. */
export type Answers = ReadonlyMap<string, Legal>;

/** The orders in which the points of an action may be picked: a segment begins at either end. */
export function picksOf(action: string): string[][] {
  const points = action.match(/[a-z]\d+/g) ?? [];
  const segment = points.length === 2 && !action.includes("/");
  return segment ? [points, [...points].reverse()] : [points];
}

const begins = (picks: readonly string[], picked: readonly string[]) =>
  picked.every((point, at) => picks[at] === point);

/** The full actions from which the draft can be finished, if they are known; else null. */
function actionsFor(draft: Draft, answers: Answers): readonly string[] | null {
  return answers.get(draft.prefix)?.actions ?? null;
}

/** A piece of notation that goes on, such as `-c8`, by its point. */
function piecesFor(draft: Draft, answers: Answers): Map<string, string> {
  const pieces = answers.get(draft.prefix)?.next ?? [];
  return new Map(pieces.map((piece) => [piece.replace(/^[-/,]/, ""), piece]));
}

/** Which part of a set-up the next point is for, if it is one and not complete. */
export function partOf(draft: Draft, template: readonly LegalPart[]): LegalPart | null {
  let placed = draft.picked.length;
  for (const part of template) {
    if (placed < (part.count ?? 1)) return part;
    placed -= part.count ?? 1;
  }
  return null;
}

const templateOf = (answers: Answers): readonly LegalPart[] => answers.get("")?.template ?? [];

/** The points that may be picked next. */
export function targetsOf(draft: Draft, answers: Answers): ReadonlySet<string> {
  const template = templateOf(answers);
  if (template.length) {
    const points = partOf(draft, template)?.points ?? [];
    return new Set(points.filter((point) => !draft.picked.includes(point)));
  }
  const actions = actionsFor(draft, answers);
  if (!actions) return new Set(piecesFor(draft, answers).keys());
  const targets = new Set<string>();
  for (const picks of actions.flatMap(picksOf))
    if (picks.length > draft.picked.length && begins(picks, draft.picked))
      targets.add(picks[draft.picked.length]!);
  return targets;
}

/** The draft with one point more, which is a target. */
export function pick(draft: Draft, point: string, answers: Answers): Draft {
  const picked = [...draft.picked, point];
  if (templateOf(answers).length || actionsFor(draft, answers)) return { ...draft, picked };
  return { picked, prefix: draft.prefix + (piecesFor(draft, answers).get(point) ?? "") };
}

/** The draft without its last point. */
export function unpick(draft: Draft): Draft {
  const picked = draft.picked.slice(0, -1);
  const pieces = draft.prefix.match(/[-/,]?[a-z]\d+/g) ?? [];
  const prefix = pieces.length > picked.length ? pieces.slice(0, picked.length).join("") : draft.prefix;
  return { picked, prefix };
}

/** The action that the draft is, if it is one already; null while something is missing. */
export function actionOf(draft: Draft, answers: Answers): string | null {
  if (!draft.picked.length) return null;
  const template = templateOf(answers);
  if (template.length) return partOf(draft, template) ? null : spell(draft, template);
  const length = draft.picked.length;
  const finished = (action: string) =>
    picksOf(action).some((picks) => picks.length === length && begins(picks, draft.picked));
  return actionsFor(draft, answers)?.find(finished) ?? null;
}

/** A set-up action: the points of a part in order, the parts with `/` between. */
function spell(draft: Draft, template: readonly LegalPart[]): string {
  let at = 0;
  const parts = template.map(({ count = 1 }) => {
    const points = draft.picked.slice(at, (at += count));
    return [...points].sort(byName).join(",");
  });
  return parts.join("/");
}

function byName(one: string, other: string): number {
  return one[0] === other[0] ? Number(one.slice(1)) - Number(other.slice(1)) : one < other ? -1 : 1;
}

/**
 * What an action would be called that goes on from the draft with a point that is no target: to ask
 * the server why it may not be played.
 */
export function guess(game: string, draft: Draft, point: string): string {
  const [first, second] = draft.picked;
  if (first === undefined) return point;
  if (game === "veletas") return second ? `${first}-${second}/${point}` : `${first}-${point}/${first}`;
  return [first, point].sort(byName).join("-");
}

/** A whole set-up with a point in it that its part does not allow: to ask the server why not. */
export function guessSetUp(draft: Draft, point: string, template: readonly LegalPart[]): string {
  const picked = partOf(draft, template) ? [...draft.picked, point] : [point, ...draft.picked.slice(1)];
  for (let part; (part = partOf({ picked, prefix: "" }, template));)
    picked.push(part.points?.find((other) => !picked.includes(other)) ?? point);
  return spell({ picked, prefix: "" }, template);
}

/** Words that may be played as they are, such as `pass`. */
export function wordsOf(answers: Answers): string[] {
  const legal = answers.get("");
  return (legal?.actions ?? legal?.next ?? []).filter((action) => /^[a-z]+$/.test(action));
}
