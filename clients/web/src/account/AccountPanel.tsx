/** Your name and account, as a guest or with a registered name. */

import type { RefObject } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { mine, refreshMine } from "../home/mine";
import { Question, Sure } from "../room/Sure";
import { rename, welcome } from "../server";
import { texts } from "../texts";
import { Blocks } from "./Blocks";
import { Webhook } from "./Webhook";
import { useAttempt, type Trial } from "./attempt";
import { Code } from "./Code";
import { RatedFrom } from "./RatedFrom";
import {
  deleteAccount,
  downloadAccount,
  endSessions,
  named,
  recover,
  register,
  registered,
  signOut,
  vouched,
} from "./account";
import "../styles/account.css";

export function AccountPanel() {
  const { account } = texts.value;
  const [code, setCode] = useState("");
  const trial = useAttempt();
  return (
    <div class="account">
      {vouched.value ? <Vouched trial={trial} /> : <Name trial={trial} setCode={setCode} />}
      <RatedFrom />
      {code && <Code code={code} label={account.code} hint={account.codeHint} />}
      {registered.value && <Registered trial={trial} setCode={setCode} />}
      {!named.value && (
        <>
          <p class="hint-text">{account.hint}</p>
          <Recover />
        </>
      )}
      {named.value && welcome.value?.features.includes("webhooks") && <Webhook />}
      <Blocks />
      <Download />
    </div>
  );
}

interface AccountProps {
  trial: Trial;
  /** Show a recovery code. */
  setCode: (code: string) => void;
}

/** The form that changes your name, or registers it, so that nobody else can have it. To change a registered
 * name, it asks first, as that replaces the recovery code (SPEC 24.2). */
function Name({ trial, setCode }: AccountProps) {
  const { attempt } = trial;
  const { account, people, settings } = texts.value;
  const own = registered.value;
  const current = welcome.value?.name ?? "";
  const [name, setName] = useState(current);
  const [asked, setAsked] = useState(false);
  const wanted = name.trim();
  const take = () => attempt(async () => setCode(await register(wanted)), account.registered, account.form);
  const change = () => attempt(() => rename(wanted), settings.renamed, people.nameForm);
  const submit = (event: Event) => {
    event.preventDefault();
    if (!own) void change();
    else if (wanted !== current) setAsked(true); // the same name would only replace the code
  };
  const field = useNameField(trial);
  const type = (typed: string) => {
    setName(typed);
    setAsked(false); // the question was about another name
  };
  return (
    <form class="name" onSubmit={submit}>
      <NameField {...{ field, name, type }} />
      {asked ? (
        <Renaming {...{ wanted, current, field, take }} close={() => setAsked(false)} />
      ) : (
        <button disabled={trial.busy || !wanted || (own && wanted === current)}>{settings.rename}</button>
      )}
      {!own && (
        <button type="button" disabled={trial.busy || !wanted} onClick={() => void take()}>
          {account.register}
        </button>
      )}
      <Said trial={trial} />
    </form>
  );
}

/** The field gets the focus if a name is refused after the question, whose buttons are gone. */
function useNameField({ failed }: Trial) {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (failed && document.activeElement === document.body) field.current?.focus();
  }, [failed]);
  return field;
}

interface NameFieldProps {
  field: RefObject<HTMLInputElement | null>;
  name: string;
  type: (typed: string) => void;
}

const NameField = ({ field, name, type }: NameFieldProps) => (
  <label>
    {texts.value.settings.name}
    <input
      ref={field}
      value={name}
      maxLength={24}
      required
      placeholder={texts.value.settings.nameHint}
      autocomplete="nickname"
      onInput={(event) => type(event.currentTarget.value)}
    />
  </label>
);

interface RenamingProps extends Record<"wanted" | "current", string> {
  field: RefObject<HTMLInputElement | null>;
  take: () => Promise<void>;
  close: () => void;
}

/** The question. With the safe answer the focus goes back to the field. */
function Renaming({ wanted, current, field, take, close }: RenamingProps) {
  const { people } = texts.value;
  return (
    <Question
      question={people.renameSure(wanted, current)}
      yes={people.renameYes}
      no={people.no}
      close={() => {
        close();
        field.current!.focus();
      }}
      act={() => {
        close();
        void take();
      }}
    />
  );
}

/** What came of the last request. */
const Said = ({ trial: { said, failed } }: { trial: Trial }) => (
  <p class={failed ? "refusal" : "hint-text"} role="status">
    {said}
  </p>
);

/** What users can do whose name and account an identity provider keeps. */
function Vouched({ trial }: { trial: Trial }) {
  const { account, settings } = texts.value;
  return (
    <>
      <p>
        {settings.name}: <b>{welcome.value!.name}</b>
      </p>
      <p class="hint-text">{account.vouched}</p>
      <div class="buttons">
        <Remove trial={trial} question={account.removeVouched} />
      </div>
      <Said trial={trial} />
    </>
  );
}

/** What users with a registered name can do. */
function Registered({ trial, setCode }: AccountProps) {
  const { account, people } = texts.value;
  const { busy, attempt } = trial;
  return (
    <div class="buttons">
      <Sure
        label={people.signOut}
        question={people.signOutSure}
        yes={people.signOutYes}
        no={people.no}
        isMild
        act={signOut}
      />
      <Sure
        label={account.newCode}
        question={people.newCodeSure}
        yes={people.newCodeYes}
        no={people.no}
        isMild
        disabled={busy}
        act={() => void attempt(async () => setCode(await register(welcome.value!.name)))}
      />
      {welcome.value?.features.includes("sessions") && (
        <Sure
          label={people.elsewhere}
          question={people.elsewhereSure}
          yes={people.signOutYes}
          no={people.no}
          isMild
          disabled={busy}
          act={() => void attempt(endSessions, people.elsewhereDone)}
        />
      )}
      <Remove trial={trial} question={account.removeSure} />
    </div>
  );
}

/** Deletes the account. The question says what becomes of games that are running. */
function Remove({ trial, question }: { trial: Trial; question: string }) {
  const { account, people } = texts.value;
  const running = mine.value.filter(({ status }) => status === "running").length;
  useEffect(() => void refreshMine(), []);
  return (
    <Sure
      label={account.remove}
      question={running ? `${question} ${people.leaving(running)}` : question}
      yes={account.removeYes}
      no={people.no}
      act={() => void trial.attempt(deleteAccount)}
    />
  );
}

/** Downloads all that the server knows about you. */
function Download() {
  const { account } = texts.value;
  const { said, busy, attempt } = useAttempt();
  const [lines, setLines] = useState(0);
  const act = () => attempt(() => downloadAccount(setLines));
  return (
    <div class="buttons">
      <button disabled={busy} onClick={() => void act()}>
        {account.download}
      </button>
      <span class="hint-text" role="status">
        {said || (lines > 0 && account.downloaded(lines))}
      </span>
    </div>
  );
}

/** The form that signs a registered user in. */
function Recover() {
  const { account } = texts.value;
  const [name, setName] = useState("");
  const [code, setCode] = useState("");
  const trial = useAttempt();
  const { busy, attempt } = trial;
  const leaving = useMemo(() => new AbortController(), []);
  useEffect(() => () => leaving.abort(), []);
  return (
    <details>
      <summary>{account.recover}</summary>
      <form
        class="name"
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(() => recover(name.trim(), code, leaving.signal));
        }}
      >
        <Field
          label={account.recoverName}
          value={name}
          change={setName}
          autocomplete="username"
          longest={24}
        />
        <Field label={account.recoverCode} value={code} change={setCode} autocomplete="off" />
        <button disabled={busy}>{account.recoverGo}</button>
        <Said trial={trial} />
      </form>
    </details>
  );
}

interface FieldProps {
  label: string;
  value: string;
  change: (value: string) => void;
  autocomplete: "username" | "off";
  longest?: number;
}

const Field = ({ label, value, change, autocomplete, longest }: FieldProps) => (
  <label>
    {label}
    <input
      value={value}
      maxLength={longest}
      required
      autocomplete={autocomplete}
      spellcheck={false}
      onInput={(event) => change(event.currentTarget.value)}
    />
  </label>
);
