/** What a game's document says, in the chosen language; if it lacks that, in English. */

import type { GameDocument, GameTexts, PositionState, RoomState } from "@pierule/client";
import { language } from "../settings";
import { fill, texts } from "../texts";
import { gameOf } from "./documents";

export const textsOf = ({ texts }: GameDocument): GameTexts => texts[language.value] ?? texts.en!;

/** A game's name; its id until the name is known. */
export function gameName(game: string): string {
  const document = gameOf(game);
  return document ? textsOf(document).name : game;
}

/** The name of a size of a game. */
export function sizeText(game: string, size: number): string {
  const document = gameOf(game);
  return document ? fill(textsOf(document).size, [size]) : String(size);
}

/** A game and its size, as a title. */
export const titleOf = (game: string, size: number): string => `${gameName(game)} ${sizeText(game, size)}`;

/** What stands on a point. */
export function pieceName(document: GameDocument, cell: number): string {
  if (!cell) return texts.value.board.empty;
  return textsOf(document).pieces[document.pieces.findIndex((piece) => piece.cell === cell)] ?? String(cell);
}

/** A number once it is set, such as `komi`. */
export function numberText(document: GameDocument, name: string, value: number): string {
  const words = textsOf(document).numbers?.[name];
  return words ? fill(words.shown, [value]) : `${name} ${value}`;
}

/** An action that is a word or a number, as a button calls it. */
export function wordText(document: GameDocument, word: string): string {
  const [, name, value] = /^(\w+):(-?\d+)$/.exec(word) ?? [];
  if (name) return numberText(document, name, Number(value));
  const { colors } = texts.value;
  return textsOf(document).words?.[word]?.label ?? colors[word as keyof typeof colors] ?? word;
}

/** How a game ended by its rules (SPEC 26.9). */
export function playedText({ result: words }: GameTexts, { position, result }: RoomState): string | null {
  const { colors } = texts.value;
  const { black, score } = position as PositionState;
  const isBlack = result?.winner === "draw" || result?.winner === black;
  const [won, lost] = isBlack ? [colors.black, colors.white] : [colors.white, colors.black];
  const [mine, theirs] = isBlack ? score : [score[1], score[0]];
  const level = mine === theirs ? words.level : words.ahead;
  const text = result?.winner === "draw" ? words.draw : level;
  return text ? fill(text, [won, lost, mine, theirs, mine - theirs]) : null;
}
