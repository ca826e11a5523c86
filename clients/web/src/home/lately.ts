/** Whom you can challenge by name, and whom of them you played lately. Pure. */

import type { Holder } from "@pierule/client";

export interface Person {
  user: string;
  name: string;
}

/** So many are offered. */
const MOST = 6;

/** What registered names look like, and those of guests do not (SPEC 24.1). */
const NAME = /^(?!guest-)[a-z][a-z0-9_-]{1,23}$/i;

/** Somebody as they can be challenged; null if they cannot, because they are a bot or have no registered
 * name: guests, and users of an identity provider, whose ids begin with `p` (SPEC 24.6). */
export function challengeable(
  user: string,
  name: string | null,
  { bot = false, registered = false }: Pick<Holder, "bot" | "registered">,
): Person | null {
  const may = !bot && registered && !user.startsWith("p") && name !== null && NAME.test(name);
  return may ? { user, name } : null;
}

/** The same for who sits in a room. */
export const challengeableIn = (holder: Holder | null): Person | null =>
  holder && challengeable(holder.user, holder.name, holder);

/** The people of your games, the latest game first: each once, and none whom you would not ask. */
export function latelyOf(people: readonly (Person | null)[], isOut: (user: string) => boolean): Person[] {
  const found = new Map<string, Person>();
  for (const person of people)
    if (person && !found.has(person.user) && !isOut(person.user)) found.set(person.user, person);
  return [...found.values()].slice(0, MOST);
}
