/** Shown on every screen: your searches, challenges to you, and games that have begun. */

import type { Challenged, Control } from "@pierule/client";
import { useEffect, useState } from "preact/hooks";
import { announce } from "../announce";
import { titleOf } from "../games/words";
import { botName } from "../home/bots";
import { Face } from "../home/Face";
import { prospectOf } from "../home/finding";
import { clockText, wishesText } from "../home/options";
import { bots, useLobby } from "../lobby";
import { roomPath } from "../route";
import { texts } from "../texts";
import { setApart, twin } from "../windows";
import {
  answer,
  block,
  failed,
  failureText,
  incoming,
  isShownInForm,
  playBot,
  ratedForYou,
  ready,
  waiting,
  type Waiting,
} from "./meeting";

export function Meeting() {
  const { meeting } = texts.value;
  const failure = failed.value && !isShownInForm(failed.value) ? failed.value : null;
  const shown = waiting.value.length || incoming.value.length || ready.value || failure;
  if (!shown) return null;
  return (
    <section class="meeting" aria-label={meeting.title}>
      {ready.value && (
        <div class="strip asked">
          <p>{meeting.begins}</p>
          <a class="button primary" href={roomPath(ready.value)}>
            {meeting.go}
          </a>
        </div>
      )}
      {incoming.value.map((challenge) => (
        <Incoming key={challenge.challenge} challenge={challenge} />
      ))}
      {waiting.value.map((entry) =>
        entry.what.type === "seek" ? (
          entry.what.bot_level ? (
            <CallingBot key={entry.wanted.nonce} entry={entry} level={entry.what.bot_level} />
          ) : (
            <Seeking key={entry.wanted.nonce} entry={entry} />
          )
        ) : (
          <Outgoing key={entry.wanted.nonce} entry={entry} />
        ),
      )}
      {failure && (
        <div class="strip">
          <p class="refusal" role="alert">
            {failureText(failure)}
          </p>
          <button onClick={() => (failed.value = null)}>{texts.value.settings.close}</button>
        </div>
      )}
    </section>
  );
}

/** After so many seconds, the page tells users who wait for a bot that it is busy. */
const PATIENT = 2;

/** A game in a few words: which, how large, on what clock. */
export function gameText(game: string, size: number, control: Control | null | undefined): string {
  return `${titleOf(game, size)}, ${clockText(texts.value, control)}`;
}

/** The strip and its buttons disappear, so the focus returns to where you began. */
const refocus = () => document.getElementById("play-now")?.focus({ preventScroll: true });

/** What you wait for, in a few words. */
const waitingText = ({ what }: Waiting): string =>
  gameText(what.game, what.size, what.clock as Control | null);

/** How many seconds ago something was, by `Date.now()`. */
function useSeconds(since: number): number {
  const waited = () => Math.floor((Date.now() - since) / 1000);
  const [seconds, setSeconds] = useState(waited);
  useEffect(() => {
    const timer = setInterval(() => setSeconds(waited), 1000);
    return () => clearInterval(timer);
  }, [since]);
  return seconds;
}

function Seeking({ entry }: { entry: Waiting }) {
  const { meeting } = texts.value;
  const { what, since, wanted } = entry;
  const after = what.type === "seek" ? what.bot_after : null;
  useLobby();
  const seconds = useSeconds(since);
  const prospect = prospectOf(bots.value, after, seconds);
  const left = Math.max(0, (after ?? 0) - seconds);
  const wishes = what.type === "seek" ? wishesText(texts.value, what) : "";
  useEffect(() => announce(`${meeting.seekingAloud} ${meeting.bots[prospect](left)}`), [prospect]);
  return (
    <div class="strip">
      <p>
        <span class="spin" aria-hidden="true" />
        {meeting.seeking(waitingText(entry))} <span class="since">{meeting.since(seconds)}</span>
      </p>
      {wishes && <p class="note">{wishes}</p>}
      {prospect !== "absent" && (
        <p class="prospect">
          {prospect === "promised" && <progress max={after!} value={seconds} aria-hidden="true" />}
          {meeting.bots[prospect](left)}
        </p>
      )}
      {twin.value && <p class="note">{meeting.twin}</p>}
      <div class="buttons">
        {twin.value && (
          <button class="primary" onClick={() => setApart("#/")}>
            {meeting.setApart}
          </button>
        )}
        {prospect === "promised" && (
          <button onClick={() => (refocus(), void playBot(entry))}>{meeting.bot}</button>
        )}
        <button onClick={() => (refocus(), void wanted.withdraw())}>{meeting.cancel}</button>
      </div>
    </div>
  );
}

/** A house bot that you chose. It comes at once, or as soon as it has time. */
function CallingBot({ entry, level }: { entry: Waiting; level: string }) {
  const { meeting, bots: words } = texts.value;
  const { since, wanted } = entry;
  const free = useLobby()?.levels.find((each) => each.bot_level === level)?.free ?? null;
  const seconds = useSeconds(since);
  const name = botName(level);
  // The lobby is up to a second old: perhaps the bot is busy because it is on its way to you.
  const busy = free === 0 && seconds >= PATIENT;
  const calling = words.calling(name, waitingText(entry));
  useEffect(() => announce(busy ? words.wait(name) : calling), [busy]);
  return (
    <div class="strip">
      <Face level={level} />
      <p>
        {calling} <span class="since">{meeting.since(seconds)}</span>
      </p>
      {busy && <p class="prospect">{words.wait(name)}</p>}
      <div class="buttons">
        <button onClick={() => (refocus(), void wanted.withdraw())}>{meeting.cancel}</button>
      </div>
    </div>
  );
}

/** Whether a game is to count for ratings. */
const ratedText = (rated: Challenged["rated"] = "either") =>
  wishesText(texts.value, { rated }) || texts.value.people.canCount;

function Outgoing({ entry }: { entry: Waiting }) {
  const { meeting } = texts.value;
  const { what, wanted } = entry;
  const to = what.type === "challenge" ? what.to : "";
  return (
    <div class="strip">
      <p>{meeting.asked(to, waitingText(entry))}</p>
      <p class="note">{ratedText(what.rated)}</p>
      <button onClick={() => void wanted.withdraw()}>{meeting.takeBack}</button>
    </div>
  );
}

function Incoming({ challenge }: { challenge: Challenged }) {
  const { meeting, room, home } = texts.value;
  const [busy, setBusy] = useState(false);
  const { name, bot, game, size, control, seat } = challenge;
  const reply = async (accept: boolean) => {
    setBusy(true);
    await answer(challenge, accept);
    setBusy(false);
  };
  const shut = async () => {
    setBusy(true);
    await block(challenge);
    setBusy(false);
  };
  return (
    <div class="strip asked">
      <p>
        <strong>{meeting.challenged(name || room.unnamed)}</strong>{" "}
        {bot && <span class="tag">{home.bot}</span>} {gameText(game, size, control)}.{" "}
        {seat === null ? meeting.drawn : seat === 0 ? meeting.youCut : meeting.youChoose}
      </p>
      <p class="note">{ratedText(ratedForYou(challenge))}</p>
      <div class="buttons">
        <button class="primary" disabled={busy} onClick={() => void reply(true)}>
          {texts.value.agreements.accept}
        </button>
        <button disabled={busy} onClick={() => void reply(false)}>
          {texts.value.agreements.decline}
        </button>
        <button disabled={busy} onClick={() => void shut()}>
          {texts.value.chat.block}
        </button>
      </div>
    </div>
  );
}
