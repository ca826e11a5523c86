/** The frame around every screen: where you can go, the connection, and the settings. */

import type { Status } from "@pierule/client";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Announcer } from "./announce";
import { Lazy } from "./archive/Lazy";
import { isArchived } from "./archive/source";
import { useBack } from "./back";
import { HomeScreen } from "./home/HomeScreen";
import { turns } from "./home/mine";
import { keysOpen, useKeys } from "./Keys";
import { lazily } from "./Lazy";
import { Learning } from "./learn/Lazy";
import { lossOf } from "./loss";
import { Meeting } from "./meeting/Meeting";
import { roomShown } from "./meeting/meeting";
import { announcement, changed, draining, webhookOff } from "./notices";
import { Offline } from "./offline/offline";
import { closeText, stopText } from "./refusals";
import { route, type Route } from "./route";
import { restartAs, seenBefore, status, storeAway, storeTrouble, welcome } from "./server";
import { language } from "./settings";
import { texts } from "./texts";

const Choosing = lazily(() => import("./SettingsPanel"));
const Playing = lazily(() => import("./room/RoomScreen"));

export function App() {
  const [open, setOpen] = useState(false);
  const plays = roomShown.value?.plays ?? false;
  useKeys();
  useBack(open, () => setOpen(false));
  // Going elsewhere closes the settings, and so does a game. But a recovery code is shown only once.
  useEffect(() => {
    if (!document.querySelector(".settings .code")) setOpen(false);
  }, [route.value, plays]);
  return (
    <>
      <a
        class="skip"
        href="#main"
        onClick={(event) => {
          event.preventDefault();
          document.getElementById("main")?.focus();
        }}
      >
        {texts.value.skip}
      </a>
      <Top open={open} toggle={() => setOpen(!open)} />
      {open && <Choosing show={({ Settings }) => <Settings close={() => setOpen(false)} />} />}
      <Trouble />
      <Offline />
      <Announced />
      <Meeting />
      <main id="main" tabIndex={-1}>
        <Screen route={route.value} />
      </main>
      <Announcer />
      {keysOpen.value && <Choosing show={({ KeysSheet }) => <KeysSheet />} />}
    </>
  );
}

function Top({ open, toggle }: { open: boolean; toggle: () => void }) {
  const { name, nav } = texts.value;
  return (
    <header class="frame">
      <div class="top">
        <a class="brand" href="#/">
          <Mark /> {name}
        </a>
        <Nav />
        <Connection />
        <button class="gear" title={nav.menu} aria-expanded={open} onClick={toggle}>
          <span class="aloud">{nav.menu} </span>
          <Me />
          <svg viewBox="0 0 24 24" aria-hidden="true">
            <path d="M4 7h10M18 7h2M4 17h2M10 17h10" />
            <circle cx="16" cy="7" r="2.200" />
            <circle cx="8" cy="17" r="2.200" />
          </svg>
        </button>
      </div>
    </header>
  );
}

/** Your name, as others see it. */
const Me = () => {
  const me = welcome.value?.name;
  return me ? (
    <bdi class="me" title={me}>
      {me}
    </bdi>
  ) : null;
};

/** The screens that belong to the archive. */
const ARCHIVE: ReadonlySet<Route["at"]> = new Set(["games", "player", "ratings", "cuts", "game"]);

function Nav() {
  const { name, nav } = texts.value;
  const at = route.value.at;
  return (
    <nav aria-label={name}>
      <a href="#/" aria-current={at === "home" ? "page" : undefined}>
        {nav.home}
        {turns.value > 0 && (
          <span class="unread" title={nav.turns(turns.value)}>
            <span aria-hidden="true">{turns.value}</span>
            <span class="aloud">{nav.turns(turns.value)}</span>
          </span>
        )}
      </a>
      <a href="#/learn" aria-current={at === "learn" ? "page" : undefined}>
        {nav.learn}
      </a>
      <a class="to-rules" href="#/rules" aria-current={at === "rules" ? "page" : undefined}>
        {nav.rules}
      </a>
      <a class="wide" href="#/replay" aria-current={at === "replay" ? "page" : undefined}>
        {nav.replay}
      </a>
      {/* It is the last, because it appears only when the server has said that it has an archive. */}
      {isArchived.value && (
        <a class="to-games" href="#/games" aria-current={ARCHIVE.has(at) ? "page" : undefined}>
          {nav.games}
        </a>
      )}
    </nav>
  );
}

function Screen({ route: to }: { route: Route }) {
  switch (to.at) {
    case "room":
      return <Playing show={({ RoomScreen }) => <RoomScreen key={to.room} {...to} />} />;
    case "rules":
      return <Learning show={({ RulesScreen }) => <RulesScreen game={to.game} />} />;
    case "learn":
      return <Learning show={({ LearnScreen }) => <LearnScreen {...to} />} />;
    case "replay":
      return <Lazy show={({ ReplayScreen }) => <ReplayScreen />} />;
    case "analysis":
      return <Lazy show={({ AnalysisScreen }) => <AnalysisScreen {...to} />} />;
    case "games":
      return <Lazy show={({ GamesScreen }) => <GamesScreen {...to} />} />;
    case "player":
      return <Lazy show={({ PlayerScreen }) => <PlayerScreen key={to.name} {...to} />} />;
    case "cuts":
      return <Lazy show={({ CutsScreen }) => <CutsScreen {...to} />} />;
    case "ratings":
      return <Lazy show={({ RatingsScreen }) => <RatingsScreen {...to} />} />;
    case "game":
      return <Lazy show={({ GameScreen }) => <GameScreen key={to.game} {...to} />} />;
    case "broken":
      return <Broken />;
    default:
      return <HomeScreen />;
  }
}

const Broken = () => (
  <p class="banner" role="alert">
    {texts.value.room.broken}{" "}
    <a class="button" href="#/">
      {texts.value.room.toLobby}
    </a>
  </p>
);

const Mark = () => (
  <svg class="mark" viewBox="0 0 32 32" aria-hidden="true">
    <path class="rest" d="M16 1a15 15 0 1 0 15 15H16z" />
    <path class="cut" d="M19 1.300V13h11.700A15 15 0 0 0 19 1.300z" />
  </svg>
);

/** Why a try has failed, if anything says so. */
const wordsOf = ({ text, code }: Status & { kind: "waiting" }) => text ?? closeText(code);
const loss = lossOf(status, wordsOf);

/** The state of the connection, for the eye, and aloud once it has changed for longer. */
function Connection() {
  const { connection } = texts.value;
  const now = status.value;
  const [, tick] = useState(0);
  useEffect(() => {
    if (now.kind !== "waiting") return;
    const timer = setInterval(() => tick((n) => n + 1), 500);
    return () => clearInterval(timer);
  }, [now]);
  const leaving = now.kind === "online" && draining.value;
  const text = () => {
    if (now.kind === "online") return leaving ? connection.draining : connection.online;
    if (now.kind === "connecting") return seenBefore.value ? connection.again : connection.connecting;
    if (now.kind === "stopped") return connection.stopped(stopText(now.error));
    const seconds = Math.ceil((now.until - Date.now()) / 1000);
    return `${wordsOf(now)} ${seconds > 1 ? connection.waiting(seconds) : connection.soon}`.trim();
  };
  const seen = text();
  // Each try, and the seconds until the next one, are for the eye only.
  const aloud = useRef("");
  if (now.kind === "online" || now.kind === "stopped") aloud.current = seen;
  else if (loss.value !== null) aloud.current = `${loss.value} ${connection.soon}`.trim();
  return (
    <span class={`connection ${now.kind}${leaving ? " draining" : ""}`} data-status={now.kind} title={seen}>
      <span class="dot" aria-hidden="true" />
      <span class="text" aria-hidden="true">
        {seen}
      </span>
      <span class="aloud" role="status">
        {aloud.current || connection.connecting}
      </span>
    </span>
  );
}

function Trouble() {
  const { connection } = texts.value;
  const now = status.value;
  if (now.kind === "stopped") {
    const unknown = now.error.name === "Refused" && now.error.code === "bad_token";
    return (
      <div class="banner" role="alert">
        {unknown ? connection.unknownUser : connection.stopped(stopText(now.error))}{" "}
        {unknown ? (
          <button onClick={() => restartAs(null)}>{connection.asGuest}</button>
        ) : (
          <button onClick={() => location.reload()}>{connection.reload}</button>
        )}
      </div>
    );
  }
  return storeAway.value ? (
    <div class="banner" role="alert">
      {connection.storeAway} {storeTrouble.value && <span lang="en">({storeTrouble.value})</span>}
    </div>
  ) : null;
}

/** News: that you are another user now, announcements (SPEC 22.3), and that your webhook failed (SPEC
 * 23.13). */
function Announced() {
  const { notice, people } = texts.value;
  const why = changed.value;
  const me = welcome.value;
  const said = announcement.value;
  const at = said?.at == null ? null : new Date(said.at);
  return (
    <>
      {/* It has its place before your name is known: what is below does not jump. */}
      {why && (
        <News close={() => (changed.value = null)}>{me ? people.changed[why](me.name) : "\u00a0"}</News>
      )}
      {said && (
        <News close={() => (announcement.value = null)}>
          <strong>{notice.operators}</strong> {said.text}
          {at &&
            ` (${notice.at(at.toLocaleString(language.value, { dateStyle: "short", timeStyle: "short" }))})`}
        </News>
      )}
      {webhookOff.value && <News close={() => (webhookOff.value = false)}>{notice.webhookOff}</News>}
    </>
  );
}

function News({ close, children }: { close: () => void; children: ComponentChildren }) {
  return (
    <div class="banner news" role="status">
      <p>{children}</p>
      <button onClick={close}>{texts.value.settings.close}</button>
    </div>
  );
}
