/** HTTP requests to a server, at the address of its WebSocket. */

import type { Environment } from "./environment.js";

const PATIENCE = 5_000;

/** GET an address and `read` the response, both within a few seconds. The scheme may be `ws`. */
export async function get<T>(
  environment: Environment,
  url: string,
  cache: RequestCache,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const stop = new AbortController();
  const cancel = environment.after(PATIENCE, () => stop.abort());
  try {
    const { signal } = stop;
    return await read(
      await environment.fetch(url.replace(/^ws/, "http"), { signal, cache, redirect: "error" }),
    );
  } finally {
    cancel();
  }
}
