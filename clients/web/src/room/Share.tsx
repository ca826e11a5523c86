/** A link, to send to others. */

import { useState } from "preact/hooks";
import { texts } from "../texts";

interface ShareProps {
  link: string;
  /** What the link is for. */
  label: string;
  /** Whether you wait for the person who gets it, so that copying comes first. */
  open?: boolean;
}

export function Share({ link, label, open = false }: ShareProps) {
  const { room: words } = texts.value;
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link);
      setCopied(true);
    } catch {
      document.querySelector<HTMLInputElement>("#link")?.select(); // not allowed: you can copy by hand
    }
  };
  return (
    <div class="share">
      <label for="link">{label}</label>
      <div class="row">
        <input id="link" readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
        <button class={open ? "primary" : ""} onClick={() => void copy()}>
          {copied ? words.copied : words.copy}
        </button>
      </div>
    </div>
  );
}
