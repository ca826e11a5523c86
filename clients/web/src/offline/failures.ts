/** How many tries to connect have failed since the last connection. Pure. */

import type { Status } from "@pierule/client";

export interface Tries {
  kind: Status["kind"];
  failed: number;
}

/** The tries when the status has become `kind`. While the client waits for the next try, the status may
 * change again to say more about the failed one, which counts once. */
export function triesAfter({ kind: before, failed }: Tries, kind: Status["kind"]): Tries {
  if (kind === "waiting") return { kind, failed: failed + Number(before === "connecting") };
  return { kind, failed: kind === "connecting" ? failed : 0 };
}
