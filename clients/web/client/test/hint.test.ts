/** A connection says for which room it is made, by its bucket only. */

import { expect, test, vi } from "vitest";
import { Client, json } from "../src/index.js";
import { hinted } from "../src/session.js";
import { FakeSocket, WELCOME } from "./socket.js";

test("an address names the bucket of a room, never the room", () => {
  expect(hinted("ws://here/ws", "kobadimutelosa")).toBe("ws://here/ws?bucket=35");
  expect(hinted("ws://here/ws?a=b", "kobadimutelosa")).toBe("ws://here/ws?a=b&bucket=35");
  expect(hinted("ws://here/ws")).toBe("ws://here/ws");
});

test("a client comes back where the room is that it joined last", async () => {
  vi.useFakeTimers();
  const sockets: FakeSocket[] = [];
  const urls: string[] = [];
  const open = (url: string, protocol: string) => {
    urls.push(url);
    sockets.push(new FakeSocket(protocol));
    return sockets.at(-1)!;
  };
  const client = new Client({ urls: ["ws://here/ws"], room: "kobadimutelosa", codec: json, open });
  const [socket] = sockets;
  socket!.onopen();
  socket!.say({ type: "ok", id: socket!.sent[0]!.id, welcome: WELCOME });
  client.join("fipobego");
  socket!.onclose({ code: 1012 });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(urls.slice(0, 2)).toEqual(["ws://here/ws?bucket=35", "ws://here/ws?bucket=20"]);
  client.close();
  vi.useRealTimers();
});
