/** What a person can choose for this browser, and their name. */

import { AccountPanel } from "./account/AccountPanel";
import { LANGUAGES, THEMES, confirming, language, sound, theme, type Language, type Theme } from "./settings";
import { texts } from "./texts";

export function Settings({ close }: { close: () => void }) {
  const { settings, nav } = texts.value;
  return (
    <section class="settings" aria-label={nav.menu} onKeyDown={(event) => event.key === "Escape" && close()}>
      <AccountPanel />
      <label>
        {settings.language}
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
      <label class="check">
        <input
          type="checkbox"
          checked={confirming.value === "yes"}
          onChange={(event) => (confirming.value = event.currentTarget.checked ? "yes" : "no")}
        />
        {settings.confirming}
      </label>
      <label class="check">
        <input
          type="checkbox"
          checked={sound.value === "on"}
          onChange={(event) => (sound.value = event.currentTarget.checked ? "on" : "off")}
        />
        {settings.sound}
      </label>
      <button onClick={close}>{settings.close}</button>
    </section>
  );
}
