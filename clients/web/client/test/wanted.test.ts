/** Challenges that stand, and what is wanted on under its old nonce. */

import { expect, test } from "vitest";
import { Client, foldChallenges, json, want, type Challenged } from "../src/index.js";
import { FakeSocket, WELCOME } from "./socket.js";

const asked = (challenge: string): Challenged => ({
  type: "challenged",
  challenge,
  user: "bea",
  name: "Bea",
  game: "loose",
  size: 5,
  control: null,
  seat: null,
  bot: false,
});

test("a challenge that is told again stays where it is", () => {
  const standing = [asked("one"), asked("two")];
  expect(foldChallenges(standing, asked("one"))).toBe(standing);
  expect(foldChallenges(standing, asked("three")).map(({ challenge }) => challenge)).toEqual([
    "one",
    "two",
    "three",
  ]);
  const withdrawn = { type: "notice", kind: "challenge_withdrawn", challenge: "one" } as const;
  expect(foldChallenges(standing, withdrawn)).toEqual([asked("two")]);
});

test("what was wanted before is wanted on, and leads to its room", async () => {
  const socket = new FakeSocket("");
  const open = (_: string, protocol: string) => Object.assign(socket, { protocol });
  const client = new Client({ urls: ["ws://one"], codec: json, open });
  const wanted = want(client, { type: "seek", game: "loose" }, "earlier");
  socket.onopen();
  socket.say({ type: "ok", id: socket.sent.at(-1)!.id, welcome: WELCOME });
  expect(socket.sent).toContainEqual(expect.objectContaining({ type: "seek", nonce: "earlier" }));
  expect(wanted.nonce).toBe("earlier");
  socket.say({ type: "paired", nonce: "earlier", room: "babebibo", seat: 0 });
  expect(await wanted.room).toBe("babebibo");
  client.close();
});
