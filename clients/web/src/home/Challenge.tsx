/** The form that challenges a user by name. */

import { useEffect, useRef, useState } from "preact/hooks";
import { failureText, isShownInForm, failed, wait, waiting, type Waiting } from "../meeting/meeting";
import { welcome } from "../server";
import { texts } from "../texts";
import { asking } from "./asking";
import type { Options, Wanted } from "./NewGame";

interface ChallengeProps {
  wanted: Wanted | null;
  options: Options;
}

/** Shows the field to users who come with a name in it, for example from a player's page. */
function useField() {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (!asking.value) return;
    field.current!.focus({ preventScroll: true });
    field.current!.scrollIntoView({ block: "center" });
  }, []);
  return field;
}

/** Sends a challenge, and tells what has come of it. A refusal belongs here, where the user can correct
 * the name. */
function useChallenge({ wanted, options }: ChallengeProps) {
  const { account, people } = texts.value;
  const [wrong, setWrong] = useState("");
  const [sent, setSent] = useState<Waiting | null>(null);
  const failure = failed.value;
  const refused = failure && failure.entry === sent && isShownInForm(failure) ? failure : null;
  useEffect(() => {
    if (refused) asking.value ||= refused.to!;
  }, [refused]);
  const send = (form: HTMLFormElement) => {
    const to = asking.value.trim();
    const isMine = to.toLowerCase() === welcome.value?.name.toLowerCase();
    const why = !form.checkValidity() ? account.form : isMine ? people.yourself : "";
    setWrong(why);
    if (why || !wanted) return;
    const { seat, rated } = options;
    const side = seat === "random" ? null : seat;
    setSent(wait({ type: "challenge", to, named: true, ...wanted, seat: side, rated }, { isFromForm: true }));
    asking.value = "";
  };
  const stands = sent !== null && waiting.value.includes(sent);
  return { send, stands, refusal: wrong || (refused && failureText(refused)) };
}

export function Challenge(props: ChallengeProps) {
  const { home, people } = texts.value;
  const field = useField();
  const { send, stands, refusal } = useChallenge(props);
  return (
    <form
      class="challenge"
      noValidate
      onSubmit={(event) => (event.preventDefault(), send(event.currentTarget))}
    >
      <label>
        {home.challengeLabel}
        <input
          ref={field}
          value={asking.value}
          required
          pattern=" *[A-Za-z][A-Za-z0-9_\-]{1,23} *"
          placeholder={home.challengeHint}
          autocomplete="off"
          onInput={(event) => (asking.value = event.currentTarget.value)}
        />
      </label>
      <button>{home.challenge}</button>
      {refusal && (
        <p class="refusal" role="alert">
          {refusal}
        </p>
      )}
      <p class="hint-text" role="status">
        {stands && people.sent}
      </p>
    </form>
  );
}
