/** A part of the archive's screens, which are loaded when somebody comes to them. */

import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { texts } from "../texts";

type Screens = typeof import("./screens");

let loaded: Screens | null = null;

export function Lazy({ show }: { show: (screens: Screens) => ComponentChildren }) {
  const [screens, setScreens] = useState(loaded);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    if (screens) return;
    import("./screens").then(
      (found) => setScreens((loaded = found)),
      () => setFailed(true),
    );
  }, []);
  const { archive, connection, home } = texts.value;
  if (failed)
    return (
      <p class="banner" role="alert">
        {archive.unloaded} <button onClick={() => location.reload()}>{connection.reload}</button>
      </p>
    );
  if (!screens) return <p class="loading">{home.loading}</p>;
  return <>{show(screens)}</>;
}
