/** What a person can choose for this browser, and their name. */

import { AccountPanel } from "./account/AccountPanel";
import { LANGUAGES, THEMES, confirming, language, sound, theme, type Language, type Theme } from "./settings";
import { texts } from "./texts";

export function Settings({ close }: { close: () => void }) {
  const { settings, nav } = texts.value;
  return (
    <section class="settings" aria-label={nav.menu} onKeyDown={(event) => event.key === "Escape" && close()}>
      <AccountPanel />
      <LanguageChoice />
      <label>
        {settings.theme}
        <select value={theme.value} onChange={(event) => (theme.value = event.currentTarget.value as Theme)}>
          {THEMES.map((each) => (
            <option key={each} value={each}>
              {settings.themes[each]}
            </option>
          ))}
        </select>
      </label>
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
      {/* Where the frame has no room for it. */}
      <a class="button narrow" href="#/replay">
        {nav.replay}
      </a>
      <button onClick={close}>{settings.close}</button>
    </section>
  );
}

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
