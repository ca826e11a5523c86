/** Why the latest request was refused. It scrolls into sight. */

import { useLayoutEffect, useRef } from "preact/hooks";

export function Refusal({ text }: { text: string }) {
  const shown = useRef<HTMLParagraphElement>(null);
  useLayoutEffect(() => shown.current?.scrollIntoView({ block: "nearest" }), [text]);
  return (
    <p ref={shown} class="refusal" role="alert">
      {text}
    </p>
  );
}
