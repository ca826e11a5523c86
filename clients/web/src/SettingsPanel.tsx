/** What a person can choose for this browser, and their name. */

import { Refused } from "@pierule/client";
import { useState } from "preact/hooks";
import { refusalText } from "./room/Controls";
import { rename, welcome } from "./server";
import { LANGUAGES, THEMES, confirming, language, sound, theme, type Language, type Theme } from "./settings";
import { texts } from "./texts";

export function Settings({ close }: { close: () => void }) {
  const { settings, nav } = texts.value;
  return (
    <section class="settings" aria-label={nav.menu} onKeyDown={(event) => event.key === "Escape" && close()}>
      <Name />
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

function Name() {
  const { settings } = texts.value;
  const [name, setName] = useState(welcome.value?.name ?? "");
  const [said, setSaid] = useState("");
  const change = async () => {
    try {
      await rename(name.trim());
      setSaid(settings.renamed);
    } catch (error) {
      if (error instanceof Refused) setSaid(refusalText(error));
    }
  };
  return (
    <form
      class="name"
      onSubmit={(event) => {
        event.preventDefault();
        void change();
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
      <button disabled={!name.trim()}>{settings.rename}</button>
      <p class="hint-text" role="status">
        {said}
      </p>
    </form>
  );
}
