/** The list of keys, a sheet that `?` opens on every screen. */

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { texts } from "./texts";

const open = signal(false);

/** Opens the sheet, for people who have a keyboard. */
export const KeysLink = () => (
  <button class="link keys" aria-haspopup="dialog" onClick={() => (open.value = true)}>
    {texts.value.keys.title} <kbd>?</kbd>
  </button>
);

export function Keys() {
  const { keys, settings } = texts.value;
  const sheet = useRef<HTMLDialogElement>(null);
  const isOpen = open.value;
  useEffect(() => {
    const onKey = ({ key, target, defaultPrevented, ctrlKey, metaKey }: KeyboardEvent) => {
      if (key !== "?" || defaultPrevented || ctrlKey || metaKey) return;
      if (!(target instanceof Element && target.closest("input, textarea, select"))) open.value = true;
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  useEffect(() => {
    if (isOpen) sheet.current?.showModal();
  }, [isOpen]);
  if (!isOpen) return null;
  return (
    <dialog
      ref={sheet}
      class="keys-sheet"
      aria-labelledby="keys"
      onKeyDown={(event) => event.stopPropagation()} // keys in the sheet are not for the board behind it
      onClose={() => (open.value = false)}
    >
      <h2 id="keys">{keys.title}</h2>
      <Rows />
      <button class="primary" onClick={() => sheet.current?.close()}>
        {settings.close}
      </button>
    </dialog>
  );
}

const Rows = () => (
  <dl>
    {texts.value.keys.rows.map(([names, text]) => (
      <div key={names}>
        <dt>
          {names.split(" ").map((name) => (
            <kbd key={name}>{name}</kbd>
          ))}
        </dt>
        <dd>{text}</dd>
      </div>
    ))}
  </dl>
);
