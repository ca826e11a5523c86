/** How many tries to connect have failed since there was a connection. Pure. */

import type { Status } from "@pierule/client";

export interface Tries {
  kind: Status["kind"];
  failed: number;
}

/** The tries once the connection is of this kind. While the next one is waited for, more may be heard of the one
 * that failed: it counts once. */
export function triesAfter({ kind: before, failed }: Tries, kind: Status["kind"]): Tries {
  if (kind === "waiting") return { kind, failed: failed + Number(before === "connecting") };
  return { kind, failed: kind === "connecting" ? failed : 0 };
}
