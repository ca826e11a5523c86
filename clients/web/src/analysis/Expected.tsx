/** The result that each player can expect in a position, as a bar and in words. */

import type { archive } from "@pierule/client";
import { percent } from "../archive/words";
import { texts } from "../texts";
import { forSeat } from "./swings";

/** The two sides of a position, first Black or the first player, with the result that each can expect. */
function sidesOf({ black, expected }: archive.Evaluated): [string, number][] {
  const { colors, room } = texts.value;
  const first = forSeat(black ?? 0, expected);
  const names = black === null ? [room.first, room.second] : [colors.black, colors.white];
  return [
    [names[0]!, first],
    [names[1]!, 1 - first],
  ];
}

export const wordsOf = (of: archive.Evaluated): string =>
  sidesOf(of)
    .map(([name, share]) => `${name} ${percent(share)}`)
    .join(", ");

export function Expected({ of }: { of: archive.Evaluated }) {
  const [[first, share], [second, rest]] = sidesOf(of) as [[string, number], [string, number]];
  return (
    <div class={`expected${of.black === null ? " uncolored" : ""}`} style={{ "--share": share }}>
      <span class="bar" aria-hidden="true" />
      <p>
        <span>
          {first} <b>{percent(share)}</b>
        </span>{" "}
        <span>
          {second} <b>{percent(rest)}</b>
        </span>
      </p>
    </div>
  );
}
