/** What is wanted on under its old nonce. */

import { expect, test } from "vitest";
import { Client, Refused, json } from "../src/index.js";
import { FakeSocket, WELCOME } from "./socket.js";

test("a seek of an earlier page goes on and leads to its room", async () => {
  const socket = new FakeSocket("");
  const open = (_: string, protocol: string) => Object.assign(socket, { protocol });
  const client = new Client({ urls: ["ws://one"], codec: json, open });
  const wanted = client.seek({ game: "loose" }, "earlier");
  socket.onopen();
  socket.say({ type: "ok", id: socket.sent.at(-1)!.id, welcome: WELCOME });
  expect(socket.sent).toContainEqual(expect.objectContaining({ type: "seek", nonce: "earlier" }));
  expect(wanted.nonce).toBe("earlier");
  socket.say({ type: "paired", nonce: "earlier", room: "babebibo", seat: 0 });
  expect(await wanted.room).toBe("babebibo");
  client.close();
});

test("a challenge counts as taken only when the server has taken it", async () => {
  const socket = new FakeSocket("");
  const open = (_: string, protocol: string) => Object.assign(socket, { protocol });
  const client = new Client({ urls: ["ws://one"], codec: json, open });
  socket.onopen();
  socket.say({ type: "ok", id: socket.sent.at(-1)!.id, welcome: WELCOME });
  const told: string[] = [];
  const challenge = (to: string) => {
    const { room, taken } = client.challenge({ to, named: true, game: "loose" });
    void taken.then(() => told.push(to));
    return { room, id: socket.sent.at(-1)!.id };
  };
  const nobody = challenge("Zorro");
  const somebody = challenge("Ada");
  await Promise.resolve();
  expect(told).toEqual([]);
  socket.say({ type: "error", id: nobody.id, code: "no_account", text: "nobody has this name" });
  socket.say({ type: "ok", id: somebody.id });
  await expect(nobody.room).rejects.toThrow(Refused);
  expect(told).toEqual(["Ada"]);
  client.close();
});
