/** Your name and account, as a guest or with a registered name. */

import { useEffect, useMemo, useState } from "preact/hooks";
import { mine, refreshMine } from "../home/mine";
import { Sure } from "../room/Sure";
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

/** The form that changes your name, or registers it, so that nobody else can have it. */
function Name({ trial, setCode }: AccountProps) {
  const { busy, attempt } = trial;
  const { account, people, settings } = texts.value;
  const own = registered.value;
  const [name, setName] = useState(welcome.value?.name ?? "");
  const take = () =>
    attempt(async () => setCode(await register(name.trim())), account.registered, account.form);
  const change = () => attempt(() => rename(name.trim()), settings.renamed, people.nameForm);
  return (
    <form
      class="name"
      onSubmit={(event) => {
        event.preventDefault();
        void (own ? take() : change());
      }}
    >
      <label>
        {settings.name}
        <input
          value={name}
          maxLength={24}
          required
          placeholder={settings.nameHint}
          autocomplete="nickname"
          onInput={(event) => setName(event.currentTarget.value)}
        />
      </label>
      <button disabled={busy || !name.trim()}>{settings.rename}</button>
      {!own && (
        <button type="button" disabled={busy || !name.trim()} onClick={() => void take()}>
          {account.register}
        </button>
      )}
      <Said trial={trial} />
    </form>
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
        isMild
        act={signOut}
      />
      <Sure
        label={account.newCode}
        question={people.newCodeSure}
        yes={people.newCodeYes}
        isMild
        disabled={busy}
        act={() => void attempt(async () => setCode(await register(welcome.value!.name)))}
      />
      {welcome.value?.features.includes("sessions") && (
        <Sure
          label={people.elsewhere}
          question={people.elsewhereSure}
          yes={people.signOutYes}
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
