/** A game of the archive as a record (SPEC 17), which the replay shows. Pure. */

import type { archive, RoomRecord } from "@pierule/client";

/** The result that counts: none if the operators have voided it. */
export const resultOf = ({ result, amendment }: Pick<archive.GameLine, "result" | "amendment">) =>
  amendment?.kind === "void" ? { winner: null, reason: "voided" } : result;

/** The record; null if the server no longer has the rules of the game. */
export function recordOfGame(game: archive.WholeGame): RoomRecord | null {
  const { room, actions, events, feed, clock: control } = game;
  if (actions === null) return null;
  const { epoch, seq, chain } = events.at(-1)!;
  return {
    format: "pierule.room",
    version: 1,
    room,
    feed,
    options: { game: game.game, size: game.size, control },
    seats: game.players.map(({ id, name, bot }) => ({
      user: id,
      name: name ?? "",
      bot,
    })) as RoomRecord["seats"],
    events: events as RoomRecord["events"],
    final: {
      place: { epoch, seq, chain },
      status: "over",
      result: resultOf(game) as RoomRecord["final"]["result"],
      position: "",
      clock: null,
    },
  };
}
