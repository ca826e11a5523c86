/** To be called something else, while this or that is under way. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Client, Stopped, json } from "../src/index.js";
import { FakeSocket, WELCOME } from "./socket.js";

let sockets: FakeSocket[];
let client: Client;

beforeEach(() => {
  vi.useFakeTimers();
  sockets = [];
  const open = (_: string, protocol: string) => {
    sockets.push(new FakeSocket(protocol));
    return sockets.at(-1)!;
  };
  client = new Client({ urls: ["ws://one"], codec: json, open });
});

afterEach(() => {
  client.close();
  vi.useRealTimers();
});

/** The latest connection opens, and sends its hello. */
function greet(): [socket: FakeSocket, name: string | null] {
  const socket = sockets.at(-1)!;
  socket.onopen();
  return [socket, socket.sent.at(-1)!.name];
}

const welcome = (socket: FakeSocket, name: string) =>
  socket.say({ type: "ok", id: socket.sent.at(-1)!.id, welcome: { ...WELCOME, name } });

test("the answer to a hello with the old name says nothing of the new one", async () => {
  const [old] = greet();
  const settled = vi.fn();
  const renamed = client.rename("Bea").finally(settled);
  welcome(old, "guest");
  await vi.advanceTimersByTimeAsync(8_000);
  expect(settled).not.toHaveBeenCalled();
  const [fresh, name] = greet();
  expect(name).toBe("Bea");
  welcome(fresh, "Bea");
  await renamed;
  expect(client.welcome?.name).toBe("Bea");
});

test("a new name that comes too late is refused, and so is the first of two", async () => {
  const [first, second] = [client.rename("Bea"), client.rename("Cleo")];
  await expect(first).rejects.toThrow("another name");
  client.close();
  await expect(second).rejects.toThrow(Stopped);
  await expect(client.rename("Dora")).rejects.toThrow(Stopped);
});
