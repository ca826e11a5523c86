/** The chat of a room: its messages, and the field to write one. */

import type { ChatEntry, Refused, Room } from "@pierule/client";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
import { announce } from "../announce";
import { useBack } from "../back";
import { blocked, setBlock } from "../blockList";
import { refusalText } from "../refusals";
import { client, welcome } from "../server";
import { texts } from "../texts";
import { visible } from "../visibility";
import { ChatModel } from "./chatModel";
import { isAtEnd, watch } from "./sight";
import type { Table } from "./table";
import "../styles/chat.css";

/** The most characters of a message (SPEC 21.3). */
const LONGEST = 300;

/** Whether there is room for the chat beside the board. */
export const ROOMY = "(min-width: 56rem)";

/** The chat of a room while the room is on the screen. It is open at first if there is room for it. */
export function useChat(room: Room): ChatModel {
  const chatting = useMemo(() => {
    const open = matchMedia(ROOMY).matches;
    return new ChatModel(room, { client, setBlock, visible, open });
  }, [room]);
  useEffect(() => () => chatting.close(), [chatting]);
  return chatting;
}

export function Chat({ table, chatting }: { table: Table; chatting: ChatModel }) {
  const { chat } = texts.value;
  const open = chatting.open.value;
  const unread = chatting.unread.value;
  const fresh = chatting.fresh.value;
  useBack(open && !matchMedia(ROOMY).matches, () => (chatting.open.value = false));
  useEffect(() => {
    // Screen readers read an open list by themselves, because it is a log.
    if (fresh && !chatting.open.value) announce(chat.said(fresh.name || texts.value.room.unnamed));
  }, [fresh]);
  const section = useShown(chatting);
  if (!welcome.value?.features.includes("chat")) return <p class="note">{chat.off}</p>;
  return (
    <section ref={section} class="chat" aria-label={chat.title}>
      <button class="title" aria-expanded={open} onClick={() => (chatting.open.value = !open)}>
        {chat.title}
        {unread > 0 && <span class="unread">{chat.unread(unread)}</span>}
      </button>
      {open && (
        <>
          <p class="hint-text">{hearersText(table)}</p>
          <Lines chatting={chatting} />
          {!table.isGone.value && <Say chatting={chatting} />}
        </>
      )}
    </section>
  );
}

/** Brings the chat into sight when somebody asks for it: its newest message before all else. */
function useShown({ shown }: ChatModel) {
  const section = useRef<HTMLElement>(null);
  useLayoutEffect(() => {
    if (!shown.value) return;
    section.current?.scrollIntoView({ block: "nearest" });
    const list = section.current?.querySelector<HTMLElement>(".log");
    list?.scrollIntoView({ block: "nearest" });
    list?.focus({ preventScroll: true });
  }, [shown.value]);
  return section;
}

/** Who hears what you say (SPEC 21.2). */
function hearersText(table: Table): string {
  const { chat } = texts.value;
  if (table.state.value!.status !== "running") return chat.all;
  return table.seats.value.length ? chat.players : chat.spectators;
}

function Lines({ chatting }: { chatting: ChatModel }) {
  const { chat } = texts.value;
  const list = useRef<HTMLDivElement>(null);
  const messages = chatting.messages.value;
  const lines = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const stop = watch(lines.current!, (seen) => chatting.look(isAtEnd(seen)));
    return stop; // every message is looked for anew
  }, [chatting, messages.length]);
  useEffect(() => () => chatting.look(false), [chatting]);
  useEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [messages.length]);
  return (
    <div ref={lines}>
      {!messages.length && <p class="empty">{chat.empty}</p>}
      <div ref={list} class="log" role="log" aria-label={chat.title} tabIndex={0}>
        <ol>
          {messages.map((message) => (
            <Said key={`${message.channel} ${message.seq}`} message={message} chatting={chatting} />
          ))}
        </ol>
      </div>
    </div>
  );
}

function Said({ message, chatting }: { message: ChatEntry; chatting: ChatModel }) {
  const { chat, people, room } = texts.value;
  const own = message.user === welcome.value?.user;
  const level = blocked.value.get(message.user);
  const muted = level !== undefined || message.text == null;
  const withheld = level === "block" ? people.blocked : chat.muted;
  const who = message.name || room.unnamed;
  return (
    <li class={own ? "own" : ""}>
      <span class="message">
        <strong>{muted ? withheld : own ? `${who} (${room.you})` : who}</strong>
        {message.channel === "spectators" && <span class="tag">{chat.spectator}</span>}{" "}
        {!muted && <span class="text">{message.text}</span>}
      </span>
      {!own && <More message={message} muted={muted} who={muted ? withheld : who} chatting={chatting} />}
    </li>
  );
}

interface MoreProps {
  message: ChatEntry;
  muted: boolean;
  chatting: ChatModel;
}

/** The button that opens the choices, and afterwards what came of them. */
function More({ who, ...about }: MoreProps & { who: string }) {
  const { chat } = texts.value;
  const [asked, setAsked] = useState(false);
  const [reported, setReported] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const close = (told = false) => {
    setAsked(false);
    setReported(told);
    button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        class="link more"
        aria-expanded={asked}
        aria-label={chat.more(who)}
        onClick={() => setAsked(!asked)}
      >
        ⋯
      </button>
      {asked && <Choices {...about} close={close} />}
      {reported && !asked && (
        <p class="note" role="status">
          {chat.reported}
        </p>
      )}
    </>
  );
}

/** What you can do about a message and its author. */
function Choices(props: MoreProps & { close: (reported?: boolean) => void }) {
  const { message, muted, chatting, close } = props;
  const { chat, people } = texts.value;
  const [reporting, setReporting] = useState(false);
  const setBlock = (level: "mute" | "block" | null) => {
    close();
    void chatting.setBlock(message, level);
  };
  const send = async (why: string) => close(await chatting.report(message, why));
  if (reporting) return <Report send={send} cancel={() => close()} />;
  return (
    <div class="buttons">
      {muted ? (
        <button onClick={() => setBlock(null)}>
          {blocked.value.get(message.user) === "block" ? people.unblock : chat.hear}
        </button>
      ) : (
        <>
          <button onClick={() => setBlock("mute")}>{chat.mute}</button>
          <button onClick={() => setBlock("block")}>{chat.block}</button>
          <button onClick={() => setReporting(true)}>{chat.report}</button>
        </>
      )}
    </div>
  );
}

/** The form that reports a message to the operators, with the reason. */
function Report({ send, cancel }: { send: (why: string) => Promise<void>; cancel: () => void }) {
  const { chat, meeting } = texts.value;
  const [why, setWhy] = useState("");
  const [sending, setSending] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useLayoutEffect(() => input.current?.focus(), []); // the button that was pressed is gone
  const submit = () => {
    if (!why.trim() || sending) return;
    setSending(true);
    void send(why.trim());
  };
  return (
    <form
      class="report"
      onSubmit={(event) => (event.preventDefault(), submit())}
      onKeyDown={({ key }) => key === "Escape" && cancel()}
    >
      <input
        ref={input}
        value={why}
        maxLength={LONGEST}
        aria-label={chat.why}
        placeholder={chat.why}
        onInput={(event) => setWhy(event.currentTarget.value)}
      />
      <div class="buttons">
        <button disabled={!why.trim() || sending}>{chat.report}</button>
        <button type="button" onClick={cancel}>
          {meeting.cancel}
        </button>
      </div>
    </form>
  );
}

function Say({ chatting }: { chatting: ChatModel }) {
  const { chat } = texts.value;
  const [text, setText] = useState("");
  const saying = chatting.saying.value;
  const length = text.trim().length;
  const refused = chatting.refused.value;
  const send = async () => {
    const message = text.trim();
    if (!message || message.length > LONGEST || saying !== "no") return;
    setText("");
    if (!(await chatting.say(message))) setText((typed) => typed || message); // so that you can correct it
  };
  return (
    <form
      class="say"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <input
        value={text}
        aria-label={chat.say}
        aria-invalid={length > LONGEST}
        placeholder={chat.say}
        autocomplete="off"
        enterkeyhint="send"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button disabled={!length || length > LONGEST || saying !== "no"}>{chat.send}</button>
      <p class="hint-text" role="status">
        {saying === "slow" ? chat.slow : saying === "sending" ? chat.sending : ""}
      </p>
      <Refusals length={length} refused={refused} />
    </form>
  );
}

/** Why a message cannot be sent, or was refused. A long text stays as it was pasted, for the user to shorten:
 * nobody notices what a field cuts off. */
function Refusals({ length, refused }: { length: number; refused: Refused | null }) {
  const told = length > LONGEST ? texts.value.chat.tooLong(length, LONGEST) : refused && refusalText(refused);
  return told ? (
    <p class="refusal" role="alert">
      {told}
    </p>
  ) : null;
}
