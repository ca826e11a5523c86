/** What codes mean to a client (SPEC 7). It treats codes that are not here as any other code (SPEC 15.3). */

/** Errors after which the same request may be sent again. */
export const PASSING: ReadonlySet<string> = new Set(["rate", "unavailable", "internal"]);

/** Close codes that forbid reconnecting. */
export const FINAL: ReadonlySet<number> = new Set([1000, 1002, 1003, 1007, 1009, 4003, 4004, 4005]);
