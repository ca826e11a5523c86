/** Lists of the archive resume by themselves, and refusals say what the archive said. */

import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { Archive, ArchiveError } from "../src/index.js";

const LINES = 40;
type Answer = (response: ServerResponse, query: URLSearchParams) => void;

let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

/** An archive, what it was asked, and for how many ms it was left alone between tries. */
async function archiveOf(answer: Answer, tries?: number) {
  const asked: URL[] = [];
  const waits: number[] = [];
  server = createServer((request: IncomingMessage, response) => {
    const url = new URL(request.url!, "http://there");
    asked.push(url);
    answer(response, url.searchParams);
  });
  await new Promise<void>((ready) => server!.listen(0, "127.0.0.1", ready));
  const { port } = server.address() as AddressInfo;
  const after = (delay: number, run: () => void) => {
    if (delay >= 30_000) return () => {}; // nothing takes as long
    waits.push(delay);
    setTimeout(run);
    return () => {};
  };
  const environment = { after, random: () => 0.5 };
  const archive = new Archive(`ws://127.0.0.1:${port}/ws`, { environment, ...(tries && { tries }) });
  return { archive, asked, waits };
}

/** Streams that break off amid a line after so many. */
const broken =
  (cut: number): Answer =>
  (response, query) => {
    const first = Number(query.get("after") ?? 0) + 1;
    const end = Math.min(LINES, first + Number(query.get("limit") ?? LINES) - 1);
    const lines = Array.from(
      { length: Math.max(0, end - first + 1) },
      (_, at) => `{"cursor":"${first + at}"}\n`,
    );
    if (lines.length <= cut) return void response.end(lines.join(""));
    response.write(lines.slice(0, cut).join("") + '{"curs', () => response.destroy());
  };

const refusing =
  (status: number, problem: object, headers = {}): Answer =>
  (response) =>
    void response.writeHead(status, headers).end(JSON.stringify(problem));

async function cursors(lines: AsyncIterable<{ cursor: string }>): Promise<number[]> {
  const found = [];
  for await (const { cursor } of lines) found.push(Number(cursor));
  return found;
}
const range = (first: number, last: number) =>
  Array.from({ length: last - first + 1 }, (_, at) => first + at);

test("a list that breaks off again and again has no gap and no repeat", async () => {
  const { archive, asked } = await archiveOf(broken(7));
  expect(await cursors(archive.games({ game: "loose", rated: true }))).toEqual(range(1, LINES));
  expect(asked.map(({ searchParams }) => searchParams.get("after"))).toEqual([
    null,
    "7",
    "14",
    "21",
    "28",
    "35",
  ]);
  for (const { pathname, searchParams } of asked) {
    expect(pathname).toBe("/api/v1/games");
    expect([searchParams.get("game"), searchParams.get("rated"), searchParams.get("format")]).toEqual([
      "loose",
      "true",
      "ndjson",
    ]);
  }
});

test("a limit counts over all connections", async () => {
  const { archive, asked } = await archiveOf(broken(4));
  expect(await cursors(archive.gamesOf("Ada B", { after: "5", limit: 9 }))).toEqual(range(6, 14));
  expect(asked[0]!.pathname).toBe("/api/v1/players/Ada%20B/games");
  expect(asked.map(({ searchParams }) => searchParams.get("limit"))).toEqual(["9", "5", "1"]);
});

test("leaving the loop ends the connection", async () => {
  const { archive, asked } = await archiveOf(broken(LINES));
  for await (const { cursor } of archive.games()) if (cursor === "3") break;
  expect(asked).toHaveLength(1);
});

test("an archive that is busy is asked again after the seconds that it names", async () => {
  const answers = [refusing(429, { code: "rate" }, { "Retry-After": "3" }), refusing(503, {}), broken(LINES)];
  const { archive, waits } = await archiveOf((...how) => answers.shift()!(...how));
  expect(await cursors(archive.games())).toEqual(range(1, LINES));
  expect(waits).toEqual([3_000, 500]);
});

test("a problem is told with all its fields, and at once", async () => {
  const problem = { detail: "`size`: too small", code: "bad_parameter", parameter: "size", allowed: [5] };
  const { archive, asked } = await archiveOf(refusing(400, problem));
  const error = (await archive.cuts("loose", { size: 1 }).catch((why) => why)) as ArchiveError;
  expect(error).toBeInstanceOf(ArchiveError);
  expect(error).toMatchObject({ status: 400, message: problem.detail, code: "bad_parameter", allowed: [5] });
  expect(error.parameter).toBe("size");
  expect(asked).toHaveLength(1);
  await expect(cursors(archive.games())).rejects.toMatchObject({ code: "bad_parameter" });
});

test("an archive that does not come back is given up", async () => {
  const { archive, asked } = await archiveOf((response) => void response.destroy(), 3);
  await expect(archive.game("nowhere")).rejects.toMatchObject({ name: "ArchiveError", status: null });
  expect(asked).toHaveLength(3);
  await expect(cursors(archive.games())).rejects.toThrow("the archive does not answer");
  expect(asked).toHaveLength(6);
});

test("the target of a redirect is asked directly until it does not answer", async () => {
  const led: string[] = [];
  const { archive } = await archiveOf((response, query) => {
    const [host, port] = response.req.headers.host!.split(":");
    led.push(host!);
    if (host === "127.0.0.1")
      response.writeHead(307, { Location: `//localhost:${port}${response.req.url}` }).end();
    else if (led.length === 4) response.destroy();
    else refusing(404, {})(response, query);
  });
  for (let time = 0; time < 3; time++) await archive.game(1).catch(() => {});
  expect(led).toEqual(["127.0.0.1", "localhost", "localhost", "localhost", "127.0.0.1", "localhost"]);
});

test("games, players and positions are asked for by their path", async () => {
  const { archive, asked } = await archiveOf((response) => void response.end('{"here":1}'));
  expect(await archive.game(17)).toEqual({ here: 1 });
  await archive.player("Ada/B");
  await archive.position("loose", ["komi:7", "black"], { bot: false });
  expect(asked.map(({ pathname, search }) => pathname + search)).toEqual([
    "/api/v1/games/17",
    "/api/v1/players/Ada%2FB",
    "/api/v1/positions/loose?bot=false&actions=komi%3A7+black",
  ]);
});

test("evaluations come one after the other, page by page", async () => {
  const { archive, asked } = await archiveOf((response, query) => {
    const first = Number(query.get("first"));
    const positions = [first, first + 1].filter((ply) => ply <= 4).map((ply) => ({ ply }));
    response.end(JSON.stringify({ positions, next: first + 2 <= 4 ? first + 2 : null }));
  });
  const found = [];
  for await (const { ply } of archive.evaluations("loose", ["komi:2", "black"], { first: 1, size: 5 }))
    found.push(ply);
  expect(found).toEqual([1, 2, 3, 4]);
  expect(asked.map(({ pathname, search }) => pathname + search)).toEqual([
    "/api/v1/evaluations/loose?size=5&actions=komi%3A2+black&first=1",
    "/api/v1/evaluations/loose?size=5&actions=komi%3A2+black&first=3",
  ]);
});

test("evaluations that nobody waits for any more are given up, on the server, too", async () => {
  const given = new AbortController();
  let left = () => {};
  const gone = new Promise<void>((resume) => (left = resume));
  const { archive, asked } = await archiveOf((response) => {
    response.on("close", left);
    given.abort();
  });
  const found = archive.evaluations("loose", [], {}, given.signal);
  await expect(found.next()).rejects.toThrow(ArchiveError);
  await gone;
  await expect(archive.evaluations("loose", [], {}, given.signal).next()).rejects.toThrow("aborted");
  expect(asked.length).toBe(1);
});
