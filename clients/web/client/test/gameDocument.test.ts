/** The document of a game and its lessons: the server's files, or else answers to `game` (SPEC 26.1, 26.2, 26.16). */

import { afterEach, expect, test, vi } from "vitest";
import { Server } from "./server.js";
import { WELCOME } from "./socket.js";

const HASH = "0123456789abcdef0123456789abcdef";
const DOCUMENT = { format: "pierule.game", version: 1, game: "loose" };
const welcome = { ...WELCOME, games: [{ game: "loose", sizes: [5], default_size: 5, hash: HASH }] };

let server: Server;
afterEach(() => server.client.close());

function serving(fetch: () => Promise<Response>, url = "wss://example.org/deep/ws") {
  const asked = vi.fn(fetch);
  server = new Server({ urls: [url], environment: { fetch: asked } }, welcome);
  return asked;
}

test("the file is read on the host of the WebSocket", async () => {
  const asked = serving(async () => Response.json(DOCUMENT));
  expect(await server.client.game("loose")).toEqual(DOCUMENT);
  expect(asked.mock.calls).toEqual([[`https://example.org/games/loose/${HASH}.json`, expect.anything()]]);
  expect(server.socket.sent).toEqual([]);
});

test.each<[string, () => Promise<Response>]>([
  ["404", async () => new Response("Not found", { status: 404 })],
  ["another page", async () => new Response("<!doctype html>")],
  ["another game", async () => Response.json({ ...DOCUMENT, game: "taugo" })],
  ["no answer", () => Promise.reject(new TypeError("no network"))],
])("after %s the client's own node is asked", async (_, fetch) => {
  serving(fetch);
  const game = server.client.game("loose");
  await vi.waitUntil(() => server.socket.sent.length);
  expect(await server.answer("game", { document: JSON.stringify(DOCUMENT) })).toMatchObject({
    game: "loose",
  });
  expect(await game).toEqual(DOCUMENT);
});

test("a game without a file is asked for at once", async () => {
  const asked = serving(async () => Response.json(DOCUMENT));
  const game = server.client.game("taugo");
  await vi.waitUntil(() => server.socket.sent.length);
  await server.answer("game", { document: "{}" });
  await expect(game).rejects.toThrow("game taugo cannot be read");
  expect(asked).not.toHaveBeenCalled();
});

test("lessons are read from the file that the document names", async () => {
  const lessons = { format: "pierule.lessons", version: 1, game: "loose", lessons: [], texts: {} };
  const asked = serving(async () => Response.json(lessons));
  const hash = "f".repeat(32);
  expect(await server.client.lessons("loose", hash)).toEqual(lessons);
  expect(asked.mock.calls).toEqual([[`https://example.org/games/loose/${hash}.json`, expect.anything()]]);
});

test("without the file of lessons the client's own node is asked", async () => {
  serving(async () => Response.json(DOCUMENT));
  const found = server.client.lessons("loose", HASH);
  await vi.waitUntil(() => server.socket.sent.length);
  const lessons = { format: "pierule.lessons", version: 1, game: "loose", lessons: [], texts: {} };
  const asked = await server.answer("game", { document: JSON.stringify(lessons) });
  expect(asked).toMatchObject({ game: "loose", lessons: true });
  expect(await found).toEqual(lessons);
});
