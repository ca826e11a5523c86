/** To the form that challenges somebody, with their name in it. */

import { blocked } from "../blockList";
import { route } from "../route";
import { welcome } from "../server";
import { texts } from "../texts";
import { fillIn } from "./asking";
import type { Person } from "./lately";

/** Whether you would not ask somebody: yourself, and whom you block. */
export const isOut = (user: string): boolean =>
  user === welcome.value?.user || blocked.value.get(user) === "block";

export function ChallengeLink({ of }: { of: Person | null }) {
  const { home } = texts.value;
  if (!of || isOut(of.user)) return null;
  const fill = (event: Event) => {
    if (route.peek().at === "home") event.preventDefault(); // or the page would go to its top
    fillIn(of.name);
  };
  return (
    <a class="challenge-link" href="#/" aria-label={`${home.challenge}: ${of.name}`} onClick={fill}>
      {home.challenge}
    </a>
  );
}
