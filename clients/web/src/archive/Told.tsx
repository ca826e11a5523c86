/** What stands where something of the archive is not there: that it comes, or why it does not. */

import { ArchiveError } from "@pierule/client";
import type { ComponentChildren } from "preact";
import { texts } from "../texts";
import { isArchived } from "./source";

interface ToldProps {
  error: Error | null;
  again: () => void;
  /** What to say of what the archive does not know. */
  unknown: string;
  children?: ComponentChildren;
}

/** Where nothing is there yet. Show it in place of the answer. */
export function Told({ error, again, unknown, children }: ToldProps) {
  const { archive, home } = texts.value;
  if (isArchived.value === false) return <p class="empty">{archive.none}</p>;
  if (!error)
    return (
      <p class="loading" role="status">
        {home.loading}
      </p>
    );
  const missing = error instanceof ArchiveError && error.status === 404;
  return (
    <div class="told" role={missing ? "status" : "alert"}>
      <p class={missing ? "empty" : "refusal"}>{missing ? unknown : reasonOf(error)}</p>
      <div class="buttons">
        {!missing && <button onClick={again}>{archive.again}</button>}
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
