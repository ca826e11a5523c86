/** The form that challenges a user by name. */

import { useEffect, useRef, useState } from "preact/hooks";
import { named } from "../account/account";
import { isArchived, source, useAnswer } from "../archive/source";
import { failureText, isShownInForm, failed, wait, waiting, type Waiting } from "../meeting/meeting";
import { welcome } from "../server";
import { texts } from "../texts";
import { asking, filled } from "./asking";
import { isOut } from "./ChallengeLink";
import { challengeable, latelyOf, type Person } from "./lately";
import { mine } from "./mine";
import type { Options, Wanted } from "./NewGame";

interface ChallengeProps {
  wanted: Wanted | null;
  options: Options;
}

/** Shows the field to users who come with a name in it, for example from a player's page. */
function useField() {
  const field = useRef<HTMLInputElement>(null);
  const { value: times } = filled;
  useEffect(() => {
    if (!asking.peek()) return;
    field.current!.focus({ preventScroll: true });
    field.current!.scrollIntoView({ block: "center" });
  }, [times]);
  return field;
}

/** Sends a challenge, and tells what has come of it. A refusal belongs here, where the user can correct
 * the name. */
function useChallenge({ wanted, options }: ChallengeProps) {
  const { account, people } = texts.value;
  const [wrong, setWrong] = useState("");
  const [sent, setSent] = useState<Waiting | null>(null);
  const [taken, setTaken] = useState<Waiting | null>(null);
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
    const what = { type: "challenge", to, named: true, ...wanted, seat: side, rated } as const;
    const entry = wait(what, { isFromForm: true });
    setSent(entry);
    void entry.wanted.taken.then(() => setTaken(entry));
    asking.value = "";
  };
  const stands = sent !== null && sent === taken && waiting.value.includes(sent);
  return { send, stands, refusal: wrong || (refused && failureText(refused)) };
}

/** How many of your latest games are read from the archive. */
const GAMES = 30;

/** Who played against you in the archive, the latest first: also on another device. */
async function archivedRivals(me: string): Promise<(Person | null)[]> {
  const rivals = [];
  for await (const { players } of source.gamesOf(me, { order: "desc", limit: GAMES }))
    for (const { id, name, bot } of players) rivals.push(challengeable(id, name, { bot, registered: true }));
  return rivals;
}

/** Fill a name in, and go to the button that sends the form. */
function choose(name: string, { form }: HTMLButtonElement): void {
  asking.value = name;
  form!.querySelector("button")!.focus();
}

/** Whom you played lately. A tap fills their name in. */
function Lately() {
  const me = welcome.value?.user;
  const key = isArchived.value && named.value && me ? me : null;
  const { answer } = useAnswer(key, () => archivedRivals(key!));
  const people = latelyOf([...mine.value.map(({ rival }) => rival ?? null), ...(answer ?? [])], isOut);
  if (!people.length) return null;
  return (
    <div class="lately buttons" role="group" aria-labelledby="lately">
      <span id="lately" class="hint-text">
        {texts.value.home.lately}
      </span>
      {people.map(({ user, name }) => (
        <button key={user} type="button" onClick={(event) => choose(name, event.currentTarget)}>
          <bdi>{name}</bdi>
        </button>
      ))}
    </div>
  );
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
      <Lately />
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
