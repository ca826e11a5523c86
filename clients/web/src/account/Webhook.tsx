/** A webhook: an address that the server calls when it is your turn (SPEC 23.13). */

import { useEffect, useState } from "preact/hooks";
import { client } from "../server";
import { texts } from "../texts";
import { useAttempt } from "./attempt";
import { Code } from "./Code";
import { webhookOf } from "./webhookOf";

/** The present webhook, as far as it is known, and what came of changing it. */
function useWebhook() {
  const { webhook } = texts.value;
  const [set, setSet] = useState<string | null>(null);
  const [secret, setSecret] = useState("");
  const { said, busy, attempt } = useAttempt();
  const look = () => attempt(async () => setSet(await webhookOf(client)));
  const change = (wanted: string | null) =>
    attempt(
      async () => {
        setSecret((await client.setWebhook(wanted)) ?? "");
        setSet(wanted);
      },
      wanted ? webhook.done : webhook.removed,
      webhook.form,
    );
  return { set, secret, said, busy, look, change };
}

export function Webhook() {
  const { webhook } = texts.value;
  const { set, secret, said, busy, look, change } = useWebhook();
  const [url, setUrl] = useState("");
  useEffect(() => setUrl(set ?? ""), [set]);
  return (
    <details onToggle={(event) => event.currentTarget.open && void look()}>
      <summary>{webhook.title}</summary>
      <form
        class="name"
        onSubmit={(event) => {
          event.preventDefault();
          void change(url.trim());
        }}
      >
        <p class="hint-text">{webhook.about}</p>
        <Address url={url} change={setUrl} />
        <button disabled={busy}>{webhook.set}</button>
        {set !== null && (
          <button type="button" disabled={busy} onClick={() => void change(null)}>
            {webhook.remove}
          </button>
        )}
        <p class="hint-text" role="status">
          {said}
        </p>
      </form>
      {secret && <Code code={secret} label={webhook.secret} hint={webhook.secretHint} />}
    </details>
  );
}

const Address = ({ url, change }: { url: string; change: (url: string) => void }) => (
  <label>
    {texts.value.webhook.url}
    <input
      type="url"
      value={url}
      required
      maxLength={500}
      placeholder="https://"
      autocomplete="off"
      onInput={(event) => change(event.currentTarget.value)}
    />
  </label>
);
