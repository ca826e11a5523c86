/** Why a record cannot be shown. */

import { Refused, Stopped, type GameDocument } from "@pierule/client";
import { refusalText } from "../refusals";
import { texts } from "../texts";

/** The codes that mean that the record is wrong. Any other is about the server, not about the record. */
const WRONG = new Set(["illegal", "bad_field"]);

/** The sentence for an error of `replay`; null if the client has stopped, as its status says. */
export function faultText(error: Error, game: GameDocument | null): string | null {
  const { replay, room } = texts.value;
  if (error instanceof Stopped) return null;
  if (!(error instanceof Refused)) return room.failed(error.message);
  const why = refusalText(error, game);
  return WRONG.has(error.code) ? replay.broken(why) : why;
}
