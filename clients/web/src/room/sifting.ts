/** While another game of yours has begun, a room's screen asks whether it is over: nobody tells this window. */

import { useEffect } from "preact/hooks";
import { refreshMine } from "../home/mine";
import { ready } from "../meeting/meeting";

/** How often it asks, in ms. */
const OFTEN = 10_000;

/** Ask now and again until the returned function is called. */
export function sifting(): () => void {
  void refreshMine(); // only a game that the server has listed can leave its list
  const timer = setInterval(() => void refreshMine(), OFTEN);
  return () => clearInterval(timer);
}

/** Ask as long as the page offers to go to that game. */
export function useSifting(): void {
  const room = ready.value;
  useEffect(() => (room === null ? undefined : sifting()), [room]);
}
