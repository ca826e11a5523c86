/** A share with the limits between which it lies, in words and as a picture. */

import type { archive } from "@pierule/client";
import { texts } from "../texts";
import { intervalText } from "./words";

export function Interval({ label, of }: { label: string; of: archive.Interval }) {
  const { archive } = texts.value;
  return (
    <span class={`interval${of.few ? " few" : ""}`}>
      {label} {of.few && <span class="tag">{archive.few}</span>}
      <span class="share">{intervalText(of)}</span>
      <span
        class="scale"
        aria-hidden="true"
        style={{ "--low": of.low, "--high": of.high, "--share": of.share ?? 0.5 }}
      >
        {of.share !== null && <span class="at" />}
      </span>
    </span>
  );
}
