/** The list of keys. */

import { useEffect, useRef } from "preact/hooks";
import { keysOpen } from "./Keys";
import { texts } from "./texts";

export function KeysSheet() {
  const { keys, settings } = texts.value;
  const sheet = useRef<HTMLDialogElement>(null);
  useEffect(() => sheet.current?.showModal(), []);
  return (
    <dialog
      ref={sheet}
      class="keys-sheet"
      aria-labelledby="keys"
      onKeyDown={(event) => event.stopPropagation()} // keys in the sheet are not for the board behind it
      onClose={() => (keysOpen.value = false)}
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
