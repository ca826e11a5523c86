/** Stands in place of an answer of the archive that is on its way, or does not come. */

import { ArchiveError } from "@pierule/client";
import type { ComponentChildren } from "preact";
import { toScreen } from "../route";
import { texts } from "../texts";
import { isArchived } from "./source";

interface UnansweredProps {
  error: Error | null;
  again: () => void;
  /** What to say if the archive does not know what it was asked for. */
  unknown: string;
  /** Whether only a failure is said aloud, because it stands beside what you look at. */
  quiet?: boolean;
  children?: ComponentChildren;
}

/** Says that the page waits for the answer, or why there is none. */
export function Unanswered({ error, again, unknown, quiet, children }: UnansweredProps) {
  const { archive, home } = texts.value;
  const calm = quiet ? undefined : "status";
  if (isArchived.value === false) return <p class="empty">{archive.none}</p>;
  if (!error)
    return (
      <p class="loading" role={calm}>
        {home.loading}
      </p>
    );
  const missing = error instanceof ArchiveError && error.status === 404;
  return (
    <div class="told" role={missing ? calm : "alert"}>
      <p class={missing ? "empty" : "refusal"}>{missing ? unknown : reasonOf(error)}</p>
      <div class="buttons">
        {!missing && <button onClick={() => (toScreen(), again())}>{archive.again}</button>}
        {children}
      </div>
    </div>
  );
}

function reasonOf(error: Error): string {
  const { archive } = texts.value;
  return error instanceof ArchiveError && error.status === 400
    ? archive.refused(error.message)
    : archive.away;
}
