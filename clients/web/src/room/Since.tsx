/** The server's time, and how long ago something was, kept up to date. */

import { useEffect, useState } from "preact/hooks";
import { client } from "../server";
import { wholeText } from "./times";

/** The server's time, every half second. */
export function useNow(): number {
  const [now, setNow] = useState(client.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(client.now()), 500);
    return () => clearInterval(timer);
  }, []);
  return now;
}

/** How long ago something was. */
export function Since({ at }: { at: number }) {
  return <span class="since"> {wholeText(useNow() - at)}</span>;
}
