/** What webhook somebody has: the server tells it among all that it stores about them (SPEC 24). */

import type { Client } from "@pierule/client";

/** The address that is called, or null. Rejects with Refused. */
export async function webhookOf(client: Pick<Client, "downloadAccount">): Promise<string | null> {
  const { lines } = await client.downloadAccount(null);
  for (const line of lines) {
    const told = JSON.parse(line) as { kind?: string; webhook?: string | null };
    if (told.kind === "account") return told.webhook ?? null;
  }
  return null;
}
