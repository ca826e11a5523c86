/** Why a server refuses connections. A WebSocket does not show it; a GET of the same address does. */

import type { Environment } from "./environment.js";
import { get } from "./http.js";

const LONGEST = 30_000;

/** How a server refuses connections: for good, or for at least `wait` ms (SPEC 1.13). */
export interface Refusal {
  text: string;
  final: boolean;
  wait: number;
}

/** How a client finds out why a connection failed; null: it cannot know. */
export type Explain = (url: string) => Promise<Refusal | null>;

/** Ask the server itself. */
export const explainBy =
  (environment: Environment): Explain =>
  (url) =>
    get(environment, url, "no-store", refusalIn).catch(() => null); // no server, or a page of another origin

async function refusalIn(response: Response): Promise<Refusal | null> {
  const { status, headers } = response;
  const plain = headers.get("Content-Type")?.startsWith("text/plain");
  const text = plain ? (await response.text()).trim().slice(0, 300) : "";
  if (status === 403 && text) return { text, final: true, wait: 0 };
  if (status !== 429 && status !== 503) return null;
  const seconds = Number(headers.get("Retry-After") ?? 1);
  return { text, final: false, wait: Math.min(LONGEST, 1000 * (seconds || 1)) };
}
