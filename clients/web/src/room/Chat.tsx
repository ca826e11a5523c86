/** What is said in a room, and a line to say something. */

import type { Spoken } from "@pierule/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { announce } from "../announce";
import { refusalText } from "../refusals";
import { welcome } from "../server";
import { shunned } from "../shunned";
import { texts } from "../texts";
import type { Chatting } from "./chatting";
import type { Table } from "./table";

/** As long as a line may be (SPEC 21.3). */
const LONGEST = 300;

export function Chat({ table, chatting }: { table: Table; chatting: Chatting }) {
  const { chat } = texts.value;
  const open = chatting.open.value;
  const unread = chatting.unread.value;
  const fresh = chatting.fresh.value;
  useEffect(() => {
    // An open list is read by itself, as it is a log.
    if (fresh && !chatting.open.value) announce(chat.said(fresh.name || texts.value.room.unnamed));
  }, [fresh]);
  if (!welcome.value?.features.includes("chat")) return <p class="note">{chat.off}</p>;
  return (
    <section class="chat" aria-label={chat.title}>
      <button class="title" aria-expanded={open} onClick={() => (chatting.open.value = !open)}>
        {chat.title}
        {unread > 0 && <span class="unread">{chat.unread(unread)}</span>}
      </button>
      {open && (
        <>
          <p class="hint-text">{hearersText(table)}</p>
          <Lines chatting={chatting} />
          <Say chatting={chatting} />
        </>
      )}
    </section>
  );
}

/** Who hears what one says (SPEC 21.2). */
function hearersText(table: Table): string {
  const { chat } = texts.value;
  if (table.state.value!.status !== "running") return chat.all;
  return table.seats.value.length ? chat.players : chat.spectators;
}

function Lines({ chatting }: { chatting: Chatting }) {
  const { chat } = texts.value;
  const list = useRef<HTMLDivElement>(null);
  const lines = chatting.lines.value;
  useEffect(() => {
    if (list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [lines.length]);
  return (
    <>
      {!lines.length && <p class="empty">{chat.empty}</p>}
      <div ref={list} class="log" role="log" aria-label={chat.title} tabIndex={0}>
        <ol>
          {lines.map((line) => (
            <Said key={`${line.channel} ${line.seq}`} line={line} chatting={chatting} />
          ))}
        </ol>
      </div>
    </>
  );
}

function Said({ line, chatting }: { line: Spoken; chatting: Chatting }) {
  const { chat, room } = texts.value;
  const [asked, setAsked] = useState(false);
  const own = line.user === welcome.value?.user;
  const how = shunned.value.get(line.user);
  const muted = how !== undefined || line.text == null;
  const who = line.name || room.unnamed;
  return (
    <li class={own ? "own" : ""}>
      <span class="line">
        <strong>{muted ? chat.muted : own ? `${who} (${room.you})` : who}</strong>
        {line.channel === "spectators" && <span class="tag">{chat.spectator}</span>}{" "}
        {!muted && <span class="text">{line.text}</span>}
      </span>
      {!own && (
        <button
          class="link more"
          aria-expanded={asked}
          aria-label={chat.more(muted ? chat.muted : who)}
          onClick={() => setAsked(!asked)}
        >
          ⋯
        </button>
      )}
      {asked && <Choices line={line} muted={muted} chatting={chatting} close={() => setAsked(false)} />}
    </li>
  );
}

/** What one can do about a line and who said it. */
function Choices(props: { line: Spoken; muted: boolean; chatting: Chatting; close: () => void }) {
  const { line, muted, chatting, close } = props;
  const { chat } = texts.value;
  const [reporting, setReporting] = useState(false);
  const [told, setTold] = useState(false);
  const [why, setWhy] = useState("");
  const shun = (how: "mute" | "block" | null) => {
    close();
    void chatting.shun(line, how);
  };
  if (told) return <p class="note">{chat.reported}</p>;
  if (reporting)
    return (
      <form
        class="say"
        onSubmit={(event) => {
          event.preventDefault();
          void chatting.report(line, why.trim()).then((done) => (done ? setTold(true) : close()));
        }}
      >
        <input
          value={why}
          maxLength={LONGEST}
          aria-label={chat.why}
          placeholder={chat.why}
          onInput={(event) => setWhy(event.currentTarget.value)}
        />
        <button>{chat.report}</button>
      </form>
    );
  return (
    <div class="buttons">
      {muted ? (
        <button onClick={() => shun(null)}>{chat.hear}</button>
      ) : (
        <>
          <button onClick={() => shun("mute")}>{chat.mute}</button>
          <button onClick={() => shun("block")}>{chat.block}</button>
          <button onClick={() => setReporting(true)}>{chat.report}</button>
        </>
      )}
    </div>
  );
}

function Say({ chatting }: { chatting: Chatting }) {
  const { chat } = texts.value;
  const [text, setText] = useState("");
  const saying = chatting.saying.value;
  const refused = chatting.refused.value;
  const send = async () => {
    const line = text.trim();
    if (!line || saying !== "no") return;
    setText("");
    if (!(await chatting.say(line))) setText((typed) => typed || line); // to be mended, not written again
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
        maxLength={LONGEST}
        aria-label={chat.say}
        placeholder={chat.say}
        autocomplete="off"
        enterkeyhint="send"
        onInput={(event) => setText(event.currentTarget.value)}
      />
      <button disabled={!text.trim() || saying !== "no"}>{chat.send}</button>
      <p class="hint-text" role="status">
        {saying === "slow" ? chat.slow : saying === "sending" ? chat.sending : ""}
      </p>
      {refused && (
        <p class="refusal" role="alert">
          {refusalText(refused)}
        </p>
      )}
    </form>
  );
}
