/** What one is called: as a guest, or by a name of one's own. */

import { Refused, Stopped } from "@pierule/client";
import { useEffect, useMemo, useState } from "preact/hooks";
import { refusalText, stopText } from "../refusals";
import { Sure } from "../room/Sure";
import { rename, welcome } from "../server";
import { texts } from "../texts";
import { recover, register, registered, delete_account } from "./account";

export function AccountPanel() {
  const { account, settings } = texts.value;
  const own = registered.value;
  const [name, setName] = useState(welcome.value?.name ?? "");
  const [code, setCode] = useState("");
  const { said, busy, attempt } = useAttempt();
  const take = () => attempt(async () => setCode(await register(name.trim())), account.registered);
  const change = () => attempt(() => rename(name.trim()), settings.renamed);
  return (
    <div class="account">
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
        <p class="hint-text" role="status">
          {said}
        </p>
      </form>
      {code && <Code code={code} />}
      {own ? (
        <div class="buttons">
          <button
            disabled={busy}
            onClick={() => void attempt(async () => setCode(await register(welcome.value!.name)))}
          >
            {account.newCode}
          </button>
          <Sure
            label={account.remove}
            question={account.removeSure}
            yes={account.removeYes}
            act={() => void attempt(delete_account)}
          />
        </div>
      ) : (
        <>
          <p class="hint-text">{account.hint}</p>
          <Recover />
        </>
      )}
    </div>
  );
}

/** Do something, and say what has come of it. */
function useAttempt() {
  const [said, setSaid] = useState("");
  const [busy, setBusy] = useState(false);
  const attempt = async (what: () => Promise<void>, done = "") => {
    setBusy(true);
    setSaid("");
    try {
      await what();
      setSaid(done);
    } catch (error) {
      if (error instanceof Refused) setSaid(refusalText(error));
      else if (error instanceof Stopped)
        setSaid(error.code === 1000 ? texts.value.account.unreached : stopText(error));
    } finally {
      setBusy(false);
    }
  };
  return { said, busy, attempt };
}

/** The recovery code, which is told this once. */
function Code({ code }: { code: string }) {
  const { account } = texts.value;
  return (
    <div class="code" role="status">
      <p>{account.code}</p>
      <p>
        <output>{code}</output>
      </p>
      <p>{account.codeHint}</p>
    </div>
  );
}

/** To be somebody again who is registered. */
function Recover() {
  const { account } = texts.value;
  const [name, setName] = useState("");
  const [code, setCode] = useState("");
  const { said, busy, attempt } = useAttempt();
  const leaving = useMemo(() => new AbortController(), []);
  useEffect(() => () => leaving.abort(), []);
  return (
    <details>
      <summary>{account.recover}</summary>
      <form
        class="name"
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(() => recover(name.trim(), code.trim(), leaving.signal));
        }}
      >
        <label>
          {account.recoverName}
          <input
            value={name}
            maxLength={24}
            required
            autocomplete="username"
            onInput={(event) => setName(event.currentTarget.value)}
          />
        </label>
        <label>
          {account.recoverCode}
          <input
            value={code}
            required
            autocomplete="off"
            spellcheck={false}
            onInput={(event) => setCode(event.currentTarget.value)}
          />
        </label>
        <button disabled={busy}>{account.recoverGo}</button>
        <p class="hint-text" role="status">
          {said}
        </p>
      </form>
    </details>
  );
}
