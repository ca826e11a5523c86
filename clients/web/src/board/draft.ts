/**
 * An action that a player puts together, point by point, from what `legal` says (SPEC 6.4), and what
 * a tap means for it. Pure. It knows no rules, only how actions are written (SPEC 8.1).
 *
 * A tap means the same in every phase of every game, by mouse, finger or Enter. The pending piece is
 * the point that was picked last:
 *
 * | tap on              | the draft is already an action       | something is still missing      |
 * |---------------------|--------------------------------------|---------------------------------|
 * | the pending piece   | confirms it; takes it back if the    | takes it back                   |
 * |                     | page does not ask for confirmation   |                                 |
 * | a point that may    | picks it: the action goes on         | picks it; if that completes the |
 * | come next           |                                      | action, and the page does not   |
 * |                     |                                      | ask for confirmation, sends it  |
 * | an earlier point    | takes it back, and in an action other than a set-up all after it, too  |
 * | a point elsewhere   | the pending piece moves there, or else the one before it; this never   |
 * |                     | sends. If none can, and in a set-up where something is missing, the    |
 * |                     | server is asked why not                                                |
 */

import { Refused, type Legal, type LegalPart } from "@pierule/client";
import { BESIDE } from "./beside";

export interface Draft {
  /** The points so far, in the order picked. */
  picked: readonly string[];
  /** In a set-up: the place in the action that each of them takes. */
  places: readonly number[];
  /** What `legal` was asked for with these points. */
  prefix: string;
  /** A word that stands for the whole action, such as `pass`. */
  word: string | null;
}

export const EMPTY_DRAFT: Draft = { picked: [], places: [], prefix: "", word: null };

/** What `legal` has answered for this position, by prefix; and whether two points with `-` between them
 * may be picked in either order in this game (SPEC 26.8). */
export interface Answers {
  readonly legal: ReadonlyMap<string, Legal>;
  readonly segments: boolean;
}

/** What a tap does: it adds a point to the draft, changes the draft in another way, confirms it, or asks the
 * server why these points are no action. */
export type Step =
  | { kind: "picked"; draft: Draft }
  | { kind: "changed"; draft: Draft }
  | { kind: "confirm" }
  | { kind: "ask"; points: string[] };

/** What a tap on a point means. */
export function tap(draft: Draft, point: string, answers: Answers, confirms: boolean): Step {
  if (draft.word) return tap(EMPTY_DRAFT, point, answers, confirms);
  if (draft.picked.at(-1) === point) {
    const confirmed = confirms && actionOf(draft, answers) !== null;
    return confirmed ? { kind: "confirm" } : { kind: "changed", draft: unpick(draft) };
  }
  if (targetsOf(draft, answers).has(point)) return { kind: "picked", draft: pick(draft, point, answers) };
  const at = draft.picked.indexOf(point);
  if (at >= 0) return { kind: "changed", draft: isSetUp(answers) ? without(draft, at) : cut(draft, at) };
  const moved = move(draft, point, answers);
  return moved
    ? { kind: "changed", draft: moved }
    : { kind: "ask", points: questionOf(draft, point, answers) };
}

/** The part of an action that is a number, such as the komi: it is set beside the board. */
export const numberOf = (legal: Legal | undefined): LegalPart | undefined =>
  legal?.template?.find(({ first }) => first != null);

/** The refusal of any tap where the action is a number; null where actions have points. */
export function besideOf({ legal }: Answers): Refused | null {
  const number = numberOf(legal.get(""));
  return number ? new Refused({ type: "error", id: null, code: BESIDE, text: number.what }) : null;
}

/** The orders in which the points of an action may be picked: a segment begins at either end. */
export function picksOf(action: string, segments: boolean): string[][] {
  const points = action.match(/[a-z]\d+/g) ?? [];
  const segment = segments && points.length === 2 && action.includes("-");
  return segment ? [points, [...points].reverse()] : [points];
}

const begins = (picks: readonly string[], picked: readonly string[]) =>
  picked.every((point, at) => picks[at] === point);

/** The whole actions with which the draft can end; null if they are not known. */
function actionsFor(draft: Draft, answers: Answers): readonly string[] | null {
  return answers.legal.get(draft.prefix)?.actions ?? null;
}

/** The pieces of notation that may follow, such as `-c8`, by their points. */
function piecesFor(draft: Draft, answers: Answers): Map<string, string> {
  const pieces = answers.legal.get(draft.prefix)?.next ?? [];
  return new Map(pieces.map((piece) => [piece.replace(/^[-/,]/, ""), piece]));
}

/** The part of a set-up that a place belongs to. */
export function partAt(place: number, template: readonly LegalPart[]): LegalPart | null {
  for (const part of template) {
    if (place < (part.count ?? 1)) return part;
    place -= part.count ?? 1;
  }
  return null;
}

/** The first place of a set-up that is free. */
function freePlace({ places }: Draft): number {
  let place = 0;
  while (places.includes(place)) place++;
  return place;
}

/** Which part of a set-up the next point is for; null if it is complete. */
export const partOf = (draft: Draft, template: readonly LegalPart[]): LegalPart | null =>
  partAt(freePlace(draft), template);

const templateOf = (answers: Answers): readonly LegalPart[] => answers.legal.get("")?.template ?? [];
const isSetUp = (answers: Answers): boolean => templateOf(answers).length > 0;

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
  for (const picks of actions.flatMap((action) => picksOf(action, answers.segments)))
    if (picks.length > draft.picked.length && begins(picks, draft.picked))
      targets.add(picks[draft.picked.length]!);
  return targets;
}

/** The draft with one more point, which is a target. */
export function pick(draft: Draft, point: string, answers: Answers): Draft {
  const picked = [...draft.picked, point];
  if (isSetUp(answers)) return { ...draft, picked, places: [...draft.places, freePlace(draft)] };
  if (actionsFor(draft, answers)) return { ...draft, picked };
  return { ...draft, picked, prefix: draft.prefix + (piecesFor(draft, answers).get(point) ?? "") };
}

/** The draft's first points. */
function cut(draft: Draft, length: number): Draft {
  const pieces = draft.prefix.match(/[-/,]?[a-z]\d+/g) ?? [];
  return {
    picked: draft.picked.slice(0, length),
    places: draft.places.slice(0, length),
    prefix: pieces.slice(0, length).join(""),
    word: null,
  };
}

/** The draft without its word or its last point. */
export const unpick = (draft: Draft): Draft => cut(draft, draft.picked.length - (draft.word ? 0 : 1));

/** The draft without one of its points, whose place becomes free. */
const without = (draft: Draft, at: number): Draft => ({
  ...draft,
  picked: draft.picked.filter((_, other) => other !== at),
  places: draft.places.filter((_, other) => other !== at),
});

/** The draft with its last point moved, or else the one before it; null if none can go there. */
function move(draft: Draft, point: string, answers: Answers): Draft | null {
  const last = draft.picked.length - 1;
  if (isSetUp(answers)) {
    if (partOf(draft, templateOf(answers))) return null; // the tap is for what is missing
    const part = last < 0 ? null : partAt(draft.places[last]!, templateOf(answers));
    const picked = [...draft.picked.slice(0, -1), point];
    return part?.points?.includes(point) ? { ...draft, picked } : null;
  }
  for (let at = last; at >= 0; at--) {
    const shorter = cut(draft, at);
    if (targetsOf(shorter, answers).has(point)) return pick(shorter, point, answers);
  }
  return null;
}

/** The points to ask the server about, in the order of the action. The tapped point comes next; if nothing is
 * missing, it replaces the pending one. */
function questionOf(draft: Draft, point: string, answers: Answers): string[] {
  const complete = actionOf(draft, answers) !== null;
  if (!isSetUp(answers)) return [...draft.picked.slice(0, complete ? -1 : undefined), point];
  const place = complete ? draft.places.at(-1)! : freePlace(draft);
  const before = draft.picked.filter((_, at) => draft.places[at]! < place);
  return [...before, point];
}

/** The draft as an action; null while something is missing. */
export function actionOf(draft: Draft, answers: Answers): string | null {
  if (draft.word || !draft.picked.length) return draft.word;
  const template = templateOf(answers);
  if (template.length) return partOf(draft, template) ? null : spell(draft, template);
  const length = draft.picked.length;
  const finished = (action: string) =>
    picksOf(action, answers.segments).some((picks) => picks.length === length && begins(picks, draft.picked));
  return actionsFor(draft, answers)?.find(finished) ?? null;
}

/** A set-up as an action: each part's points in order, the parts separated by `/`. */
function spell(draft: Draft, template: readonly LegalPart[]): string {
  const of = (part: LegalPart) =>
    draft.picked.filter((_, at) => partAt(draft.places[at]!, template) === part).sort(byName);
  return template.map((part) => of(part).join(",")).join("/");
}

function byName(one: string, other: string): number {
  return one[0] === other[0] ? Number(one.slice(1)) - Number(other.slice(1)) : one < other ? -1 : 1;
}

/** Words that may be played as they are, such as `pass`. */
export function wordsOf(legal: Legal | undefined): string[] {
  return (legal?.actions ?? legal?.next ?? []).filter((action) => /^[a-z]+$/.test(action));
}
