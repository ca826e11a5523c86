/** A ply in words, for whoever does not see the board. */

import type { GameDocument, PositionState } from "@pierule/client";
import { wordText } from "../games/words";
import { texts } from "../texts";
import { colorOf, type Color } from "./seats";

/** The color that acts next; null before the colors are chosen, and when the game is over. */
export const toAct = ({ to_act, black }: PositionState): Color | null =>
  to_act === null ? null : colorOf(black, to_act);

export function turnText(position: PositionState): string {
  const { analysis: words, colors, room } = texts.value;
  if (position.to_act === null) return words.over;
  const color = toAct(position);
  return words.toAct(color ? colors[color] : position.to_act ? room.second : room.first);
}

/** The action that led to a ply, and who acts there. */
export function plyText(game: GameDocument, ply: number, action: string, position: PositionState): string {
  const { analysis: words } = texts.value;
  const what = ply ? words.node(ply, wordText(game, action)) : words.opening;
  return `${what}. ${turnText(position)}`;
}
