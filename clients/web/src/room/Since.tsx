/** Times of the server that go on while they are looked at. */

import { useEffect, useState } from "preact/hooks";
import { client } from "../server";
import { timeText } from "./ClockFace";

/** The server's time, every half second. */
export function useNow(): number {
  const [now, setNow] = useState(client.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(client.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** A time in whole seconds; 0 if it is over. */
export const wholeText = (ms: number): string => timeText(Math.max(0, Math.ceil(ms / 1000)) * 1000, true);

/** How long ago something was. */
export function Since({ at }: { at: number }) {
  return <span class="since"> {wholeText(useNow() - at)}</span>;
}
