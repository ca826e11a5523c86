/** Where the score of a game that is over comes from (SPEC 26.12): asks the server, and puts it in words. */

import { pointIndex, type Account, type GameDocument, type Line, type RoomState } from "@pierule/client";
import { useEffect, useState } from "preact/hooks";
import type { Mark } from "../board/Board";
import { textsOf } from "../games/words";
import { client } from "../server";
import { fill, texts } from "../texts";

/** The line that a room has played. */
export const lineOf = ({ position: { game, size }, actions, rules = 1 }: RoomState): Line => ({
  game,
  size,
  actions,
  rules,
});

/** The account of the last position of a line; null until it has come, and without a line. */
export function useAccount(
  line: Line | null,
  boards: Pick<typeof client, "account"> = client,
): Account | null {
  const [account, setAccount] = useState<Account | null>(null);
  const key = line && JSON.stringify(line);
  useEffect(() => {
    setAccount(null);
    if (!line) return;
    let wanted = true;
    boards.account(line).then(
      (told) => wanted && setAccount(told),
      () => {}, // the result stands without it
    );
    return () => void (wanted = false);
  }, [key]);
  return account;
}

/** Whether the score decided the game. */
export const isScored = ({ status, result }: Pick<RoomState, "status" | "result">): boolean =>
  status === "over" && result?.reason === "played";

/** What counts, by point. Of points that count together, the first has the value. */
export function marksOf(
  game: GameDocument,
  size: number,
  account: Account | null,
): ReadonlyMap<number, Mark> {
  const words = textsOf(game).marks ?? {};
  const { colors } = texts.value;
  const marks = new Map<number, Mark>();
  for (const { kind, color, points, value = null } of account?.marks ?? [])
    points.forEach((point, at) => {
      const index = pointIndex(point, size);
      const label = `${colors[color]}: ${words[kind] ?? kind}`;
      if (index !== null) marks.set(index, { color, label, value: at ? null : value });
    });
  return marks;
}

/** A part of a score, in words. */
export function sumText(game: GameDocument, kind: string, numbers: readonly number[]): string {
  return fill(textsOf(game).sums?.[kind] ?? kind, numbers);
}
