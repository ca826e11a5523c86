/** Why a room is over, in words. Pure. */

import type { RoomState } from "@pierule/client";
import type { Texts } from "../texts";

/** The result of a room that is over. `names` are who sits where. */
export function resultText(texts: Texts, state: RoomState, names: readonly string[]): string {
  const { result, position } = state;
  const { result: words, colors } = texts;
  if (!result) return "";
  if (result.reason === "aborted") return words.aborted;
  if (result.reason === "closed") return words.closed;
  if (result.reason === "voided") return words.voided;
  if (result.winner === null) return result.reason === "left" ? words.leftNobody : words.noWinner;
  if (result.winner === "draw" && result.reason !== "played") return words.agreed;
  if (result.winner === "draw") return words.draw(position.score[0]);
  const { winner } = result;
  const [won, lost] = [names[winner]!, names[1 - winner]!];
  if (result.reason === "resigned") return words.resigned(won, lost);
  if (result.reason === "flagged") return words.flagged(won, lost);
  if (result.reason === "left") return words.left(won, lost);
  if (result.reason !== "played") return words.other(won);
  const black = position.black === winner;
  return playedText(texts, state, black ? colors.black : colors.white, black);
}

function playedText({ result: words }: Texts, { position }: RoomState, who: string, black: boolean): string {
  const [mine, theirs] = black ? position.score : [position.score[1], position.score[0]];
  if (position.game === "veletas") return words.shooters(who, mine, theirs);
  if (mine === theirs) return position.game === "taugo" ? words.fewer(who, mine) : words.tieLast(who);
  const komi = position.komi ?? 0;
  const told = (score: number, white: boolean) =>
    komi && white ? words.withKomi(score - komi, komi) : String(score);
  return words.by(who, mine - theirs, words.scoresKomi(told(mine, !black), told(theirs, black)));
}
