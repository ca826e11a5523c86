/** The tabs of the archive's screens. */

import { texts } from "../texts";

export function Tabs({ at }: { at: "games" | "cuts" | "ratings" }) {
  const { archive } = texts.value;
  return (
    <nav class="tabs" aria-label={archive.title}>
      {(["games", "ratings", "cuts"] as const).map((each) => (
        <a key={each} href={`#/${each}`} aria-current={each === at ? "page" : undefined}>
          {archive.tabs[each]}
        </a>
      ))}
    </nav>
  );
}
