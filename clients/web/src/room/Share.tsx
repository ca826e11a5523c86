/** A link, to send to others. */

import { useMemo, useRef, useState } from "preact/hooks";
import { once } from "../pressing";
import { texts } from "../texts";
import { Passing, system, type Passed } from "./sharing";

interface ShareProps {
  link: string;
  /** What the link is for. */
  label: string;
  /** Whether you wait for the person who gets it, so that passing it on comes first. */
  open?: boolean;
}

export function Share({ link, label, open = false }: ShareProps) {
  const { room: words } = texts.value;
  const passing = useMemo(() => new Passing(system()), []);
  const [passed, setPassed] = useState<Passed | null>(null);
  const field = useRef<HTMLInputElement>(null);
  const pass = async () => {
    const became = await passing.pass(link);
    if (became) setPassed(became);
    if (became === "neither") field.current?.select(); // you can copy by hand
  };
  const verb = passing.shares ? words.passOn : words.copy;
  return (
    <div class="share">
      <label for="link">{label}</label>
      <div class="row">
        <input
          id="link"
          ref={field}
          readOnly
          value={link}
          onFocus={(event) => event.currentTarget.select()}
        />
        <button class={open ? "primary" : ""} onClick={once(() => void pass())}>
          {passed === "copied" ? words.copied : verb}
        </button>
      </div>
    </div>
  );
}
