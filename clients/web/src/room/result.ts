/** Why a room is over, in words. */

import type { GameDocument, LogEntry, Result, RoomState, Seat } from "@pierule/client";
import { playedText, textsOf } from "../games/words";
import { texts } from "../texts";
import { closedOf } from "./record";

/** The result of a room that is over. `names` are the players by seat. */
export function resultText(game: GameDocument, state: RoomState, names: readonly string[]): string {
  const { result } = state;
  if (!result) return "";
  const played = result.reason === "played" ? playedText(textsOf(game), state) : null;
  return (result.winner !== null && played) || plainResult(result, names);
}

/** The same for the player of a seat: whether they have won, and why. */
export function fateText(game: GameDocument, state: RoomState, names: readonly string[], seat: Seat): string {
  const { winner, reason } = state.result!;
  if (winner !== 0 && winner !== 1) return resultText(game, state, names);
  const { result: words } = texts.value;
  const fate = winner === seat ? words.youWon : words.youLost;
  const played = reason === "played" ? playedText(textsOf(game), state) : null;
  const why = winner === seat ? words.whyWon[reason]?.(names[1 - winner]!) : words.whyLost[reason];
  return [fate, played ?? why].filter(Boolean).join(" ");
}

/** A result without the game's own words. */
export function plainResult(result: Result, names: readonly string[]): string {
  const { result: words } = texts.value;
  if (result.reason === "aborted") return words.aborted;
  if (result.reason === "closed") return words.closed;
  if (result.reason === "voided") return words.voided;
  if (result.winner === null) return result.reason === "left" ? words.leftNobody : words.noWinner;
  if (result.winner === "draw") return result.reason === "played" ? words.draw : words.agreed;
  const [won, lost] = [names[result.winner]!, names[1 - result.winner]!];
  if (result.reason === "resigned") return words.resigned(won, lost);
  if (result.reason === "flagged") return words.flagged(won, lost);
  if (result.reason === "left") return words.left(won, lost);
  return words.other(won);
}

/** Why the server has ended a room, or taken its result back: in the operators' words, or in ours if a limit
 * of the server ended it (SPEC 9.11). Empty if no event says so. */
export function whyClosed(events: readonly LogEntry[]): string {
  const { result: words } = texts.value;
  const closed = closedOf(events);
  if (!closed) return "";
  if (closed.by === "limit") return words.limit;
  return closed.by && closed.by !== "operators" ? closed.text : words.word(closed.text);
}
