/** A button for what cannot be undone: it asks first. */

import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { once } from "../pressing";
import { texts } from "../texts";

interface SureProps extends Record<"label" | "question" | "yes", string> {
  /** The safe answer, where the usual one could be misunderstood. */
  no?: string;
  disabled?: boolean;
  /** Whether nothing is lost by it: then it looks like other buttons until it asks. */
  isMild?: boolean;
  act: () => void;
}

export function Sure({ label, question, yes, no, disabled = false, isMild = false, act }: SureProps) {
  const [asked, setAsked] = useState<boolean | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  // The answer that was pressed is gone, so the button in its place gets the focus.
  useLayoutEffect(() => {
    if (asked === false) button.current?.focus();
  }, [asked]);
  if (!asked)
    return (
      <button
        ref={button}
        class={isMild ? undefined : "danger"}
        aria-disabled={disabled}
        onClick={once(() => !disabled && setAsked(true))}
      >
        {label}
      </button>
    );
  return (
    <Question
      {...{ question, yes, no }}
      close={() => setAsked(false)}
      act={() => {
        setAsked(false);
        act();
      }}
    />
  );
}

interface QuestionProps extends Pick<SureProps, "question" | "yes" | "no" | "act"> {
  /** What the safe answer and Escape do. */
  close: () => void;
}

/** The question itself, for what is not asked by a button. The safe answer gets the focus. */
export function Question({ question, yes, no, act, close }: QuestionProps) {
  const safe = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => safe.current!.focus(), []);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Escape") return;
    event.stopPropagation(); // whatever is around the question stays open
    close();
  };
  return (
    <div class="sure" role="alertdialog" aria-label={question} onKeyDown={onKeyDown}>
      <p>{question}</p>
      <div class="buttons">
        <button type="button" class="danger" onClick={once(act)}>
          {yes}
        </button>
        <button type="button" ref={safe} onClick={close}>
          {no ?? texts.value.room.no}
        </button>
      </div>
    </div>
  );
}
