/** Why something was refused, or ended, in the language that is chosen. */

import { Refused, type Stopped } from "@pierule/client";
import { fill, texts } from "./texts";

/** Codes of which the server's own words tell more: they name what is not right (SPEC 7). */
const TOLD = new Set(["bad_field", "not_now", "limit", "banned"]);

export function refusalText({ answer }: Refused): string {
  const { errors, illegal, and } = texts.value;
  const { code, text } = answer;
  if (code === "illegal") {
    const sentence = illegal?.[answer.rule ?? ""];
    return sentenceOf(sentence ? fill(sentence, answer.points ?? [], and) : text);
  }
  const known = errors[code];
  if (!known) return sentenceOf(text);
  return TOLD.has(code) && text ? `${known} (${text})` : known;
}

const sentenceOf = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1) + ".";

/** Why the connection is no more, by its close code (SPEC 7). */
export const closeText = (code: number | null): string => texts.value.closes[code ?? 0] ?? "";

/** Why the client has stopped. */
export function stopText(error: Refused | Stopped): string {
  if (error instanceof Refused) return refusalText(error);
  return closeText(error.code) || error.message;
}
