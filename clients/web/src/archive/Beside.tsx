/** Ratings beside names. */

import type { archive, Standing } from "@pierule/client";
import { becameAloud, becameText, standingAloud, standingText } from "./words";

/** The rating that a player had when they sat down (SPEC 30.6). Rooms and cards have none for guests, for
 * bots, and for players without a rated game. */
export const Beside = ({ standing }: { standing: Standing | null | undefined }) =>
  standing ? <Rating text={standingText(standing)} aloud={standingAloud(standing)} /> : null;

/** How a finished game changed the rating of a player (SPEC 27.16); nothing if it is not rated. */
export const Became = ({ rated }: { rated: archive.Rated | undefined }) =>
  rated ? <Rating text={becameText(rated)} aloud={becameAloud(rated)} /> : null;

const Rating = ({ text, aloud }: { text: string; aloud: string }) => (
  <>
    {" "}
    <span class="rating" title={aloud}>
      <span aria-hidden="true">{text}</span>
      <span class="aloud">{aloud}</span>
    </span>
  </>
);
