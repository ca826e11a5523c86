/** A button for what cannot be undone: it asks first. */

import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { once } from "../pressing";
import { texts } from "../texts";

interface SureProps extends Record<"label" | "question" | "yes", string> {
  disabled?: boolean;
  /** Whether nothing is lost by it: then it looks like other buttons until it asks. */
  isMild?: boolean;
  act: () => void;
}

export function Sure({ label, question, yes, disabled = false, isMild = false, act }: SureProps) {
  const [asked, setAsked] = useState<boolean | null>(null);
  const focused = useRef<HTMLButtonElement>(null);
  // The button that was pressed is gone, so the one in its place gets the focus.
  useLayoutEffect(() => {
    if (asked !== null) focused.current?.focus();
  }, [asked]);
  if (!asked)
    return (
      <button
        ref={focused}
        class={isMild ? undefined : "danger"}
        aria-disabled={disabled}
        onClick={once(() => !disabled && setAsked(true))}
      >
        {label}
      </button>
    );
  return (
    <Question text={question} close={() => setAsked(false)}>
      <button
        class="danger"
        onClick={once(() => {
          setAsked(false);
          act();
        })}
      >
        {yes}
      </button>
      <button key="no" ref={focused} onClick={() => setAsked(false)}>
        {texts.value.room.no}
      </button>
    </Question>
  );
}

function Question({
  text,
  close,
  children,
}: {
  text: string;
  close: () => void;
  children: ComponentChildren;
}) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation(); // whatever is around the question stays open
    close();
  };
  return (
    <div class="sure" role="alertdialog" aria-label={text} onKeyDown={onKeyDown}>
      <p>{text}</p>
      <div class="buttons">{children}</div>
    </div>
  );
}
