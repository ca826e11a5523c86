/** Registered names, and how their users come back to them (SPEC 24). */

import { Client } from "@pierule/client";
import { computed, signal } from "@preact/signals";
import { download } from "../download";
import { merged } from "../home/merging";
import { address, client, restartAs, welcome } from "../server";
import { load, save } from "../storage";

const known = signal(load("registered"));

/** Whether the user is registered, as far as this browser knows. */
export const registered = computed(() => known.value !== null && known.value === welcome.value?.user);

/** Whether an identity provider keeps the user's name and account: their ids begin with `p` (SPEC 24.6). */
export const vouched = computed(() => !!welcome.value?.user.startsWith("p"));

/** Whether the user has a name that is theirs alone, so that games can be rated (SPEC 30.1). */
export const named = computed(() => registered.value || vouched.value);

/** Whether the user has signed in or registered, also before the server has said who they are. */
export const isKnown = computed(() => (welcome.value ? named.value : known.value !== null));

/** Register a name, or change it. Returns the new recovery code. Rejects with Refused. */
export async function register(name: string): Promise<string> {
  const { recovery } = await client.register(name);
  known.value = client.welcome!.user;
  save("registered", known.value);
  return recovery;
}

/** Sign out everywhere else. Rejects with Refused. */
export const endSessions = () => client.endSessions();

/** How much of a code the server reads. */
const LONGEST = 40;

/** A recovery code as the server writes it, from what you typed or pasted. What is too long for a code is as wrong
 * as any other, so the server gets only its beginning, and says so. */
export function codeOf(typed: string): string {
  const signs = typed
    .toUpperCase()
    .replace(/0/g, "O")
    .replace(/1/g, "I")
    .replace(/[^A-Z2-7]/g, "");
  return signs.length === 20 ? signs.match(/.{5}/g)!.join("-") : [...typed.trim()].slice(0, LONGEST).join("");
}

/** For how long `recover` tries to reach the server, in ms. */
const PATIENCE = 15_000;

/** Become the user of a registered name again, on this device, unless you give up meanwhile (`given`).
 * Rejects with Refused, and with Stopped if the server could not be reached. */
export function recover(name: string, code: string, given: AbortSignal): Promise<void> {
  return new Promise((_, reject) => {
    const other = new Client({
      urls: [address()],
      name,
      recovery: codeOf(code),
      agent: "pierule-web",
      // Your games are known before the page comes again, as they are the first on it.
      welcomed: ({ token, user }) =>
        void other.myRooms().then(
          (rooms) => restartAs(token, user, "signed_in", merged([], rooms)),
          () => restartAs(token, user, "signed_in"),
        ),
    });
    const end = () => other.close();
    const timer = setTimeout(end, PATIENCE);
    given.addEventListener("abort", end);
    other.listen(() => {
      if (other.status.kind !== "stopped") return;
      clearTimeout(timer);
      reject(other.status.error);
    });
  });
}

/** Save everything that the server stores about you as a file. `told` is called with the number of lines
 * so far. Rejects with Refused. */
export async function downloadAccount(told: (lines: number) => void): Promise<void> {
  const all: string[] = [];
  let after: string | null | undefined = null;
  do {
    const page: { lines: string[]; next?: string | null } = await client.downloadAccount(after);
    all.push(...page.lines);
    told(all.length);
    after = page.next;
  } while (after);
  download(`pierule-${welcome.value!.user}.ndjson`, all.map((line) => `${line}\n`).join(""));
}

/** Delete the account, and continue as a new guest. Rejects with Refused. */
export async function deleteAccount(): Promise<void> {
  await client.deleteAccount();
  restartAs(null, null, "deleted");
}

/** Forget the user on this device, and continue as a new guest. */
export const signOut = () => restartAs(null, null, "signed_out");
