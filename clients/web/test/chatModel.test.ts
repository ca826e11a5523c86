/** What is said in a room, as you hear it: what is unread, and what becomes of what you say. */

import { Refused, type ChatEntry, type Client, type Room, type RoomUpdate } from "@pierule/client";
import { signal } from "@preact/signals";
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { ChatModel, type ChatContext } from "../src/room/chatModel";

const BEGUN = 1_000;

const message = (seq: number, fields: Partial<ChatEntry> = {}): ChatEntry => ({
  channel: "players",
  seq,
  at: BEGUN + seq,
  user: "eve",
  name: "Eve",
  text: `message ${seq}`,
  ...fields,
});

/** A room in which the test speaks. */
class FakeRoom {
  readonly id = "kobadimu";
  readonly chat = { messages: [] as readonly ChatEntry[], last: () => 0 };
  private heard: (news: RoomUpdate) => void = () => {};

  listen(heard: (news: RoomUpdate) => void): () => void {
    this.heard = heard;
    return () => (this.heard = () => {});
  }
  hear(messages: readonly ChatEntry[]): void {
    this.chat.messages = messages;
    this.heard({ kind: "chat", chat: this.chat });
  }
  say(...messages: ChatEntry[]): void {
    this.hear([...this.chat.messages, ...messages]);
  }
}

function open(fields: Partial<Record<keyof Client, unknown>> = {}, shown = false) {
  const room = new FakeRoom();
  const visible = signal(true);
  const setBlock = vi.fn<ChatContext["setBlock"]>(async () => {});
  const client = { welcome: { user: "ada" }, now: () => BEGUN, ...fields } as unknown as Client;
  const chat = new ChatModel(room as unknown as Room, { client, setBlock, visible, open: shown });
  return { room, chat, visible, setBlock };
}

const refusal = (code: string) => new Refused({ type: "error", id: 1, code, text: "no" });

test("only new messages of others are news", () => {
  const { room, chat } = open();
  room.say(message(1, { at: BEGUN - 1 })); // was said before you came
  room.say(message(2, { user: "ada" }), message(3, { text: null })); // you; and somebody whom you mute
  expect([chat.unread.value, chat.fresh.value]).toEqual([0, null]);
  room.say(message(4), message(5, { channel: "spectators" }));
  expect(chat.unread.value).toBe(2);
  expect(chat.fresh.value?.seq).toBe(5);
  room.hear(room.chat.messages.map((each) => ({ ...each, text: "words" }))); // none of them is new
  expect(chat.unread.value).toBe(2);
  expect(chat.messages.value).toHaveLength(5);
});

test("messages are read in an open chat of a visible page", () => {
  const { room, chat, visible } = open();
  room.say(message(1));
  chat.open.value = true;
  expect(chat.unread.value).toBe(1); // it is open somewhere below
  chat.look(true);
  expect(chat.unread.value).toBe(0);
  visible.value = false;
  room.say(message(2));
  expect(chat.unread.value).toBe(1);
  visible.value = true;
  expect(chat.unread.value).toBe(0);
});

test("a message that pushes its own place out of sight is not read", () => {
  const { room, chat } = open({}, true);
  chat.look(true);
  room.say(message(1));
  chat.look(true);
  room.say(message(2));
  expect(chat.unread.value).toBe(0); // until it is drawn
  chat.look(false);
  expect(chat.unread.value).toBe(1);
  room.say(message(3));
  expect(chat.unread.value).toBe(2);
  chat.look(true);
  expect(chat.unread.value).toBe(0);
  chat.look(false); // you scroll away
  expect(chat.unread.value).toBe(0);
});

test("a chat that is asked for opens", () => {
  const { chat } = open();
  chat.show();
  expect([chat.open.value, chat.shown.value]).toEqual([true, 1]);
});

test("a closed chat hears no messages", () => {
  const { room, chat, visible } = open({}, true);
  chat.close();
  room.say(message(1));
  visible.value = false;
  expect(chat.messages.value).toEqual([]);
});

test("a message is pending until it was said, and waits if you are over the rate", async () => {
  let slow = () => {};
  let said = () => {};
  const say = (_: Room, __: string, delayed: () => void) => {
    slow = delayed;
    return new Promise<void>((resolve) => (said = resolve));
  };
  const { chat } = open({ say });
  const sent = chat.say("hello");
  expect(chat.saying.value).toBe("sending");
  slow();
  expect(chat.saying.value).toBe("slow");
  said();
  expect(await sent).toBe(true);
  expect(chat.saying.value).toBe("no");
});

test("a refusal is told until you say something else", async () => {
  const answers = [Promise.reject(refusal("bad_field")), Promise.resolve()];
  const { chat } = open({ say: () => answers.shift() });
  expect(await chat.say("x")).toBe(false);
  expect(chat.refused.value?.code).toBe("bad_field");
  expect(await chat.say("y")).toBe(true);
  expect(chat.refused.value).toBeNull();
});

test("a client that has stopped is no refusal", async () => {
  const { chat } = open({ say: () => Promise.reject(new Error("stopped")) });
  expect(await chat.say("x")).toBe(false);
  expect(chat.refused.value).toBeNull();
});

test("unmuting a user reads all their messages again, from the first", async () => {
  const reread = vi.fn(async () => {});
  const { room, chat, setBlock } = open({ reread });
  const muted = [
    message(1, { user: "bob" }),
    message(2, { text: null }),
    message(3, { text: null }),
    message(7, { text: null, channel: "spectators" }),
  ];
  room.say(...muted);
  await chat.setBlock(muted[1]!, null);
  expect(setBlock.mock.calls).toEqual([["eve", null]]);
  expect(reread.mock.calls).toEqual([
    [room, "players", 2],
    [room, "spectators", 7],
  ]);
  await chat.setBlock(muted[0]!, "mute"); // of Bob nothing is missing
  expect(reread).toHaveBeenCalledTimes(2);
});

test("a block that is refused changes nothing", async () => {
  const reread = vi.fn(async () => {});
  const { room, chat, setBlock } = open({ reread });
  room.say(message(1, { text: null }));
  setBlock.mockRejectedValue(refusal("limit"));
  await chat.setBlock(message(1), "block");
  expect(chat.refused.value?.code).toBe("limit");
  expect(reread).not.toHaveBeenCalled();
});

test("a report names the message", async () => {
  const reportMessage = vi.fn(async () => {});
  const { room, chat } = open({ reportMessage });
  expect(await chat.report(message(3, { channel: "spectators" }), "rude")).toBe(true);
  expect(reportMessage.mock.calls).toEqual([[room, "spectators", 3, "rude"]]);
});

// --- at random ---

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ user: fc.constantFrom("ada", "bob", "eve") }) },
  { weight: 1, arbitrary: fc.constantFrom("open", "visible", "scrolled", "again") },
);

test("unread counts messages of others since you last looked", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const { room, chat, visible } = open();
      let [unread, near] = [0, false];
      for (const [at, each] of steps.entries()) {
        const looks = () => chat.open.value && visible.value && near;
        if (typeof each === "object") {
          room.say(message(at + 1, each));
          if (each.user !== "ada" && !looks()) unread++;
        } else if (each === "again") room.hear([...room.chat.messages]);
        else if (each === "open") chat.open.value = !chat.open.value;
        else if (each === "visible") visible.value = !visible.value;
        else near = !near;
        chat.look(near);
        if (looks()) unread = 0;
        expect(chat.unread.value).toBe(unread);
      }
    }),
  );
});
