/** A code that the server tells only once: a recovery code, or the key of a webhook. */

import { useEffect, useRef, useState } from "preact/hooks";
import { texts } from "../texts";

interface CodeProps {
  code: string;
  label: string;
  hint: string;
}

/** You can copy it, with a button or by hand. */
export function Code({ code, label, hint }: CodeProps) {
  const { account, room } = texts.value;
  const [copied, setCopied] = useState(false);
  const shown = useRef<HTMLOutputElement>(null);
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (document.activeElement === document.body) box.current!.focus(); // the button that made it is gone
  }, [code]);
  const copy = () =>
    navigator.clipboard.writeText(code).then(
      () => setCopied(true),
      () => getSelection()?.selectAllChildren(shown.current!), // not allowed: you can copy by hand
    );
  return (
    <div ref={box} class="code" role="status" tabIndex={-1}>
      <p>{label}</p>
      <p>
        <output ref={shown}>{code}</output> {/* Where the page may not copy, there is no clipboard. */}
        {"clipboard" in navigator && (
          <button type="button" onClick={() => void copy()}>
            {copied ? room.copied : account.copy}
          </button>
        )}
      </p>
      <p>{hint}</p>
    </div>
  );
}
