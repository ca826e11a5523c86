/** A button for what cannot be undone: it asks first. */

import { useEffect, useRef, useState } from "preact/hooks";
import { once } from "../pressing";
import { texts } from "../texts";

export function Sure({
  label,
  question,
  yes,
  act,
}: Record<"label" | "question" | "yes", string> & { act: () => void }) {
  const [asked, setAsked] = useState(false);
  const no = useRef<HTMLButtonElement>(null);
  useEffect(() => no.current?.focus(), [asked]); // the button that was pressed is gone
  if (!asked)
    return (
      <button class="danger" onClick={() => setAsked(true)}>
        {label}
      </button>
    );
  return (
    <div class="sure" role="alertdialog" aria-label={question}>
      <p>{question}</p>
      <div class="buttons">
        <button
          class="danger"
          onClick={once(() => {
            setAsked(false);
            act();
          })}
        >
          {yes}
        </button>
        <button ref={no} onClick={() => setAsked(false)}>
          {texts.value.room.no}
        </button>
      </div>
    </div>
  );
}
