/** Parts of the page that are loaded when you come to them. */

import type { ComponentChildren, FunctionComponent } from "preact";
import { useEffect, useState } from "preact/hooks";
import { connected } from "./server";
import { texts } from "./texts";

interface Props<S> {
  show: (screens: S) => ComponentChildren;
}

/** A component that shows something of a part, once that is loaded. */
export function lazily<S>(load: () => Promise<S>): FunctionComponent<Props<S>> {
  let loaded: S | null = null;
  return ({ show }) => {
    const [screens, setScreens] = useState(loaded);
    const [failed, setFailed] = useState(false);
    const isConnected = connected.value; // after a failure, each new connection tries again
    useEffect(() => {
      if (screens) return;
      load().then(
        (found) => setScreens((loaded = found)),
        () => setFailed(true),
      );
    }, [isConnected]);
    const { archive, connection, home } = texts.value;
    if (screens) return <>{show(screens)}</>;
    if (failed)
      return (
        <p class="banner" role="alert">
          {archive.unloaded} <button onClick={() => location.reload()}>{connection.reload}</button>
        </p>
      );
    return <p class="loading">{home.loading}</p>;
  };
}
