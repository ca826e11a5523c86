/** A link to a room, to send to others. */

import { useState } from "preact/hooks";
import { texts } from "../texts";

export function Share({ path, open }: { path: string; open: boolean }) {
  const { room: words } = texts.value;
  const [copied, setCopied] = useState(false);
  const link = new URL(path, location.href).href;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link);
      setCopied(true);
    } catch {
      document.querySelector<HTMLInputElement>("#link")?.select(); // without leave to copy: by hand
    }
  };
  return (
    <div class="share">
      <label for="link">{open ? words.shareOpen : words.shareWatch}</label>
      <div class="row">
        <input id="link" readOnly value={link} onFocus={(event) => event.currentTarget.select()} />
        <button class={open ? "primary" : ""} onClick={() => void copy()}>
          {copied ? words.copied : words.copy}
        </button>
      </div>
    </div>
  );
}
