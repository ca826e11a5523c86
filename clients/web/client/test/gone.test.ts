/** Rooms that the server has no more, and such as it sets aside (SPEC 1.5). */

import { expect, test } from "vitest";
import { Client, json, type Refused } from "../src/index.js";
import { FakeSocket, WELCOME } from "./socket.js";

test.each([
  [undefined, "unknown_room"],
  ["the room is set aside", "damaged"],
])("a room that is gone for the reason %s is refused as %s", (text, code) => {
  let socket!: FakeSocket;
  const open = (_: string, protocol: string) => (socket = new FakeSocket(protocol));
  const client = new Client({ urls: ["ws://one"], codec: json, open });
  socket.onopen();
  socket.say({ type: "ok", id: socket.sent.shift()!.id, welcome: WELCOME });
  const room = client.join("babebibo");
  socket.say({ type: "notice", kind: "room_gone", room: "babebibo", text });
  expect((room.error as Refused).code).toBe(code);
  client.close();
});
