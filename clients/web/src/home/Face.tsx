/** The faces of the house bots. */

import type { ComponentChildren } from "preact";
import { isKnown, type KnownLevel } from "./bots";

const FACES: Record<KnownLevel, ComponentChildren> = {
  // A chick that has just come out of its egg.
  random: (
    <>
      <path class="tuft" d="M32 13c-1-6 2-9 5-10-1 3 0 5-1 8M32 13c0-4-3-8-6-8 1 3 2 5 3 8" />
      <circle class="skin" cx="32" cy="34" r="22" />
      <circle class="cheek" cx="19" cy="40" r="4" />
      <circle class="cheek" cx="45" cy="40" r="4" />
      <circle class="eye" cx="24" cy="31" r="3.400" />
      <circle class="eye" cx="40" cy="31" r="3.400" />
      <path class="beak" d="M27 37h10l-5 7z" />
    </>
  ),
  // A fox that looks one step ahead.
  "one-step": (
    <>
      <path class="skin" d="M10 8l14 9h16l14-9 2 22c0 14-14 26-24 28C22 56 8 44 8 30z" />
      <path class="ear" d="M14 15l6 5-7 6zM50 15l-6 5 7 6z" />
      <path
        class="mask"
        d="M9 33c8 0 15 4 17 12l6 13c-10-2-22-12-23-25zM55 33c-8 0-15 4-17 12l-6 13c10-2 22-12 23-25z"
      />
      <circle class="eye" cx="22" cy="31" r="3.200" />
      <circle class="eye" cx="42" cy="31" r="3.200" />
      <path class="eye" d="M28 49h8l-4 5z" />
    </>
  ),
  // An owl that sees far in the dark.
  search: (
    <>
      <path class="skin" d="M12 6l11 8h18l11-8 3 22c2 18-9 30-23 30S7 46 9 28z" />
      <circle class="mask" cx="22" cy="30" r="11" />
      <circle class="mask" cx="42" cy="30" r="11" />
      <circle class="eye" cx="23" cy="30" r="5" />
      <circle class="eye" cx="41" cy="30" r="5" />
      <circle class="gleam" cx="24.500" cy="28" r="1.500" />
      <circle class="gleam" cx="42.500" cy="28" r="1.500" />
      <path class="beak" d="M28 37h8l-4 8z" />
    </>
  ),
};

/** A decoration: the text beside it says whose face it is. */
export function Face({ level }: { level: string }) {
  const known = isKnown(level);
  return (
    <svg class={`face ${known ? level : "other"}`} viewBox="0 0 64 64" aria-hidden="true">
      {known ? (
        FACES[level]
      ) : (
        <>
          <path class="tuft" d="M32 14V6" />
          <rect class="skin" x="9" y="14" width="46" height="40" rx="10" />
          <circle class="eye" cx="23" cy="32" r="4" />
          <circle class="eye" cx="41" cy="32" r="4" />
          <path class="tuft" d="M24 44h16" />
        </>
      )}
    </svg>
  );
}
