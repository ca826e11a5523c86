/** The first game after the lessons: on the smallest board, with the weakest house bot, so that it begins
 * at once. */

import type { GameDocument } from "@pierule/client";
import { inOrder } from "../home/bots";
import { choices, choose } from "../home/choices";
import { lobby } from "../lobby";
import { seek, seekBot, seeking } from "../meeting/meeting";

export const smallest = ({ sizes }: GameDocument): number => Math.min(...sizes);

export function playFirst(document: GameDocument): void {
  const { game } = document;
  const size = smallest(document);
  if (!lobby.value) return; // nobody knows yet which bots there are
  choose({ game, sizes: { ...choices.value.sizes, [game]: size } }); // the first screen then offers it
  const [weakest] = inOrder(lobby.value.levels);
  if (!seeking()) {
    if (weakest) seekBot(weakest.bot_level, { game, size, clock: null }, "no");
    else seek(game, size, null, { patience: 0, rated: "no" });
  }
  scrollTo({ top: 0 });
}
