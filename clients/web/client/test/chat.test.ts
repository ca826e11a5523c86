import { expect, test } from "vitest";
import { ChatHistory } from "../src/chat.js";
import type { ChatMessage } from "../src/messages.js";

const message = (seq: number, at = seq): ChatMessage => ({
  seq,
  at,
  user: "eve",
  name: "Eve",
  text: `message ${seq}`,
});
const messages = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, i) => message(first + i));
const heard = (chat: ChatHistory) => chat.messages.map(({ channel, seq }) => `${channel[0]}${seq}`);

test("messages are heard once, in the order in which they were said", () => {
  const chat = new ChatHistory();
  expect(chat.take("players", [message(4, 10), message(5, 30)])).toBeNull();
  expect(chat.take("spectators", [message(1, 20)])).toBeNull();
  expect(chat.take("players", [message(4, 10), message(5, 30), message(6, 40)])).toBeNull();
  expect(heard(chat)).toEqual(["p4", "s1", "p5", "p6"]);
});

test("a missing number is reported, and later messages wait for it", () => {
  const chat = new ChatHistory();
  chat.take("players", messages(1, 3));
  expect(chat.take("players", [message(6)])).toBe(4);
  expect(chat.last("players")).toBe(3);
  expect(chat.take("players", messages(5, 6), true)).toBeNull(); // the server has message 4 no more
  expect(heard(chat)).toEqual(["p1", "p2", "p3", "p5", "p6"]);
});

test("a message that is muted says so, and is heard again later", () => {
  const chat = new ChatHistory();
  chat.take("players", messages(1, 2));
  chat.correct("players", [{ seq: 2, at: 2, user: "eve", name: "", text: null }]);
  expect(chat.messages.map(({ text }) => text ?? null)).toEqual(["message 1", null]);
  chat.correct("players", messages(2, 2));
  expect(chat.messages.map(({ text }) => text)).toEqual(["message 1", "message 2"]);
});

test("the latest 200 messages of a channel are kept", () => {
  const chat = new ChatHistory();
  chat.take("players", messages(1, 250));
  expect(chat.messages).toHaveLength(200);
  expect(chat.messages[0]?.seq).toBe(51);
});
