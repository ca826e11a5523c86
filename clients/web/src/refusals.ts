/** Why something was refused, or ended, in the chosen language. */

import { Refused, type GameDocument, type Stopped } from "@pierule/client";
import { BESIDE } from "./board/beside";
import { textsOf } from "./games/words";
import { language } from "./settings";
import { fillPoints, texts } from "./texts";

/** Codes for which the server's own text says more: it names what is wrong (SPEC 7). */
const EXPLAINED = new Set(["bad_field", "not_now", "limit", "banned"]);

/** Such a text names the path of a field, as in "at `$.name`". It is for authors of clients. */
const BY_PATH = /`\$/;

/** Until when your games are not rated, because you left too many; `at` is in ms since 1970. */
export const ratedFromText = (at: number): string =>
  texts.value.rating.from(
    new Date(at).toLocaleString(language.value, { dateStyle: "full", timeStyle: "short" }),
  );

/** Why something was refused; `game` is the document of the game that it is about. */
export function refusalText({ answer }: Refused, game: GameDocument | null = null): string {
  const { errors } = texts.value;
  const { code, text, left } = answer;
  if (code === BESIDE) return besideText(game, text);
  if (code === "illegal") return illegalText(game, answer.rule, answer.points) ?? sentenceOf(text);
  if (code === "unrated" && left) return ratedFromText(Date.now() + left);
  const known = errors[code];
  if (!known) return sentenceOf(text);
  // The server speaks English only; what operators say of a ban may be in any language.
  const isReadable = language.value === "en" || code === "banned";
  return EXPLAINED.has(code) && text && isReadable && !BY_PATH.test(text) ? `${known} (${text})` : known;
}

/** What to do where a tap on the board is no action, because a number is. */
export const besideText = (game: GameDocument | null, what: string): string =>
  `${texts.value.prompt.beside((game && textsOf(game).numbers?.[what]?.label) ?? what)}.`;

/** Why an action is not legal, by its rule; null if the game has no words for that. */
export function illegalText(
  game: GameDocument | null,
  rule: string | null | undefined,
  points: readonly string[] | null | undefined,
): string | null {
  const sentence: unknown = game && textsOf(game).refusals[rule ?? ""];
  return typeof sentence === "string"
    ? sentenceOf(fillPoints(sentence, points ?? [], texts.value.and))
    : null;
}

/** A text as a sentence. A point at its start keeps its small letter, as players type it. */
const sentenceOf = (text: string): string =>
  (/^[a-z]\d/.test(text) ? text : text.charAt(0).toUpperCase() + text.slice(1)) + ".";

/** Why the connection ended, by its close code (SPEC 7). */
export const closeText = (code: number | null): string => texts.value.closes[code ?? 0] ?? "";

/** Why the client has stopped. */
export function stopText(error: Refused | Stopped): string {
  if (error instanceof Refused) return refusalText(error);
  return closeText(error.code) || error.message;
}
