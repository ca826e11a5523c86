/** A user's webhook. The server tells it only with everything else that it stores about them (SPEC 24). */

import type { Client } from "@pierule/client";

/** The address that the server calls; null if there is none. Rejects with Refused. */
export async function webhookOf(client: Pick<Client, "downloadAccount">): Promise<string | null> {
  const { lines } = await client.downloadAccount(null);
  for (const line of lines) {
    const told = JSON.parse(line) as { kind?: string; webhook?: string | null };
    if (told.kind === "account") return told.webhook ?? null;
  }
  return null;
}
