/** The settings: your name and account, and what you can choose for this browser. */

import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { AccountPanel } from "./account/AccountPanel";
import { isArchived } from "./archive/source";
import { askToCall, canCall } from "./bells";
import { Piece } from "./board/Pieces";
import { playerPath } from "./route";
import { client, connected, welcome } from "./server";
import {
  LANGUAGES,
  MATERIALS,
  THEMES,
  calling,
  confirming,
  contrast,
  isContrasted,
  language,
  material,
  sound,
  theme,
  turned,
  type Language,
  type Theme,
} from "./settings";
import { texts } from "./texts";

export { KeysSheet } from "./KeysSheet";

export function Settings({ close }: { close: () => void }) {
  const { settings, nav } = texts.value;
  const leave = useLeaving(close);
  return (
    <section class="settings" aria-label={nav.menu}>
      <Links />
      <AccountPanel />
      <LanguageChoice />
      <ThemeChoice />
      <MaterialChoice />
      <Check
        label={settings.contrast}
        checked={contrast.value === "more"}
        change={(checked) => (contrast.value = checked ? "more" : "auto")}
      />
      <Check
        label={settings.turned}
        checked={turned.value === "yes"}
        change={(checked) => (turned.value = checked ? "yes" : "no")}
      />
      <Check
        label={settings.confirming}
        checked={confirming.value === "yes"}
        change={(checked) => (confirming.value = checked ? "yes" : "no")}
      />
      <Check
        label={settings.sound}
        checked={sound.value === "on"}
        change={(checked) => (sound.value = checked ? "on" : "off")}
      />
      <Calling />
      <Latency />
      <button onClick={leave}>{settings.close}</button>
    </section>
  );
}

/** Closes the settings, and gives the focus back to the button that opened them. Escape does that, too, in the
 * settings and on the button. */
function useLeaving(close: () => void): () => void {
  const button = () => document.querySelector<HTMLElement>(".gear");
  const leave = () => {
    close();
    button()?.focus();
  };
  useLayoutEffect(() => {
    const onKey = ({ key, target }: KeyboardEvent) => {
      if (key === "Escape" && (target as Element).closest?.(".settings, .gear")) leave();
    };
    addEventListener("keydown", onKey);
    return () => removeEventListener("keydown", onKey);
  }, []);
  return leave;
}

/** The time to the server and back, measured when the settings open. */
function Latency() {
  const { connection } = texts.value;
  const [ms, setMs] = useState<number | null>(null);
  const isOnline = connected.value;
  useEffect(() => {
    setMs(null);
    if (isOnline)
      client.ping().then(
        (taken) => setMs(Math.round(taken)),
        () => {},
      ); // the status says why
  }, [isOnline]);
  return <p class="hint-text">{isOnline && (ms === null ? connection.online : connection.latency(ms))}</p>;
}

/** Notifications of the system. A page may ask for them only when you press something. */
function Calling() {
  const { calls } = texts.value;
  const [denied, setDenied] = useState(false);
  if (!canCall) return null;
  const change = async (checked: boolean) => {
    const may = checked && (await askToCall());
    setDenied(checked && !may);
    calling.value = may ? "yes" : "no";
  };
  return (
    <>
      <Check
        label={calls.setting}
        checked={calling.value === "yes"}
        change={(checked) => void change(checked)}
      />
      {denied && <p class="refusal">{calls.denied}</p>}
    </>
  );
}

/** Where you can go: what the frame has no room for, and what it never shows. */
function Links() {
  const { nav, analysis } = texts.value;
  const me = welcome.value;
  return (
    <p class="buttons ways-there">
      {me && isArchived.value && (
        <a class="button" href={playerPath(me.user)}>
          {nav.profile}
        </a>
      )}
      <a class="button narrow" href="#/rules">
        {nav.rules}
      </a>
      <a class="button narrow" href="#/replay">
        {nav.replay}
      </a>
      <a class="button" href="#/analysis">
        {analysis.title}
      </a>
    </p>
  );
}

const ThemeChoice = () => (
  <label>
    {texts.value.settings.theme}
    <select value={theme.value} onChange={(event) => (theme.value = event.currentTarget.value as Theme)}>
      {THEMES.map((each) => (
        <option key={each} value={each}>
          {texts.value.settings.themes[each]}
        </option>
      ))}
    </select>
  </label>
);

const LanguageChoice = () => (
  <label>
    {texts.value.settings.language}
    <select
      value={language.value}
      onChange={(event) => (language.value = event.currentTarget.value as Language)}
    >
      {Object.entries(LANGUAGES).map(([tag, name]) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </select>
  </label>
);

/** What boards are made of. Each choice shows a corner of such a board. */
function MaterialChoice() {
  const { settings } = texts.value;
  return (
    <fieldset class="materials" disabled={isContrasted.value}>
      <legend>{settings.material}</legend>
      {MATERIALS.map((each) => (
        <label key={each} class="check" data-material={isContrasted.value ? undefined : each}>
          <input
            type="radio"
            name="material"
            checked={material.value === each}
            onChange={() => (material.value = each)}
          />
          <Corner />
          {settings.materials[each]}
        </label>
      ))}
    </fieldset>
  );
}

const Corner = () => (
  <svg class="board corner" viewBox="-.6 -.6 3.200 1.200" aria-hidden="true">
    {["plate", "grain"].map((each) => (
      <rect key={each} class={each} x={-0.6} y={-0.6} width={3.2} height={1.2} rx={0.15} fill="none" />
    ))}
    <path class="line" d="M-.6 0H2.600M0 -.6V.6M1 -.6V.6M2 -.6V.6" />
    {(["black", "white", "neutral"] as const).map((tint, at) => (
      <g key={tint} transform={`translate(${at} 0)`}>
        <Piece
          kind={{
            cell: at,
            name: "",
            glyph: "",
            plain: "",
            tint,
            shape: tint === "neutral" ? "star" : "disc",
          }}
        />
      </g>
    ))}
  </svg>
);

interface CheckProps {
  label: string;
  checked: boolean;
  change: (checked: boolean) => void;
}

const Check = ({ label, checked, change }: CheckProps) => (
  <label class="check">
    <input type="checkbox" checked={checked} onChange={(event) => change(event.currentTarget.checked)} />
    {label}
  </label>
);
