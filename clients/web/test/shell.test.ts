/** What the service worker answers, with a connection, without one, and after an update. */

import { beforeEach, expect, test } from "vitest";
import { Shell, type Build } from "../worker/shell";
import { MemoryCaches } from "./caches";

const SCOPE = "https://example.org/deep/";
const build = (n: number): Build => ({
  name: `build${n}`,
  files: [`assets/index-aaaaaaa${n}.js`, `assets/es-bbbbbbb${n}.js`, "icon.svg", "index.html"],
});
const page = (n: number) => `<title>${n}</title><script src="./assets/index-aaaaaaa${n}.js"></script>`;

let caches: MemoryCaches;
/** What the server has, by path; null: it cannot be reached. */
let served: Record<string, string | number> | null;
let asked: string[];
let unregistered: boolean;

const serve = (n: number) => {
  const assets = Object.fromEntries(build(n).files.map((file) => [file, `${file} of ${n}`]));
  served = { ...assets, "": page(n), "index.html": page(n), "game/7": page(n), "sw.js": "worker" };
};

function shell(n: number): Shell {
  return new Shell(build(n), {
    scope: SCOPE,
    caches: caches.storage,
    fetch: async ({ url }) => {
      asked.push(url.slice(SCOPE.length));
      if (!served) throw new TypeError("no network");
      const found = served[url.slice(SCOPE.length)] ?? 404;
      return typeof found === "number" ? new Response("", { status: found }) : new Response(found);
    },
    unregister: async () => (unregistered = true),
  });
}

async function installed(n: number): Promise<Shell> {
  serve(n);
  const made = shell(n);
  await made.install();
  await made.activate();
  asked = [];
  return made;
}

/** A request; Node makes none that navigates. */
const request = (path: string, mode = "cors", method = "GET") =>
  ({ url: SCOPE + path, mode, method }) as Request;
const text = async (of: Shell, path: string, mode?: string) => (await of.answer(request(path, mode)))?.text();

beforeEach(() => {
  caches = new MemoryCaches();
  asked = [];
  unregistered = false;
});

test("with a connection the page of the server is shown", async () => {
  const old = await installed(1);
  serve(2);
  expect(await text(old, "", "navigate")).toBe(page(2));
  expect(await text(old, "assets/index-aaaaaaa2.js")).toContain("of 2");
});

test("without a connection the kept page is shown with its own files", async () => {
  const made = await installed(1);
  served = null;
  for (const path of ["", "index.html", "?x=1"]) expect(await text(made, path, "navigate")).toBe(page(1));
  expect(await text(made, "game/7", "navigate")).toBe(page(1).replace("./", "../"));
  asked = [];
  for (const file of build(1).files.slice(0, 2)) expect(await text(made, file)).toBe(`${file} of 1`);
  expect(asked).toEqual([]); // a name that changes with its content needs no question
  expect(await text(made, "icon.svg")).toContain("icon.svg of 1");
});

test.each([502, 503, 504])("%i from a proxy counts as no connection", async (status) => {
  const made = await installed(1);
  served![""] = status;
  expect(await text(made, "", "navigate")).toBe(page(1));
});

test("other answers of the server are passed on", async () => {
  const made = await installed(1);
  served![""] = 500;
  expect((await made.answer(request("", "navigate")))?.status).toBe(500);
});

test.each([
  ["ws", "websocket"],
  ["games/loose/0123456789abcdef0123456789abcdef.json", "cors"],
  ["api/v1/games/7", "cors"],
  ["api/v1/openapi.json", "navigate"],
  ["sw.js", "same-origin"],
  ["metrics", "navigate"],
])("%s is left to the browser", async (path, mode) => {
  expect((await installed(1)).answer(request(path, mode))).toBeNull();
});

test("posts and requests to other origins are left to the browser", async () => {
  const made = await installed(1);
  expect(made.answer(request("", "cors", "POST"))).toBeNull();
  expect(made.answer({ ...request(""), url: "https://example.org/" } as Request)).toBeNull();
});

test("a page of another build is not kept, nor is half a build", async () => {
  serve(1);
  served!["index.html"] = page(2); // another node of the server, in the midst of an update
  await expect(shell(1).install()).rejects.toThrow("another build");
  serve(1);
  served!["assets/es-bbbbbbb1.js"] = 404;
  await expect(shell(1).install()).rejects.toThrow("404");
  expect(await caches.keys()).toEqual([]);
});

test("an update replaces the shell; open pages find the parts of the build before", async () => {
  await installed(1);
  const second = await installed(2);
  expect(await caches.keys()).toEqual(["pierule-shell-build1", "pierule-shell-build2"]);
  served = null;
  expect(await text(second, "", "navigate")).toBe(page(2));
  expect(await text(second, "assets/es-bbbbbbb1.js")).toContain("of 1");
  await (await caches.open("pierule-documents")).put("https://kept.invalid/x", new Response("kept"));
  await installed(3);
  expect(await caches.keys()).toEqual(["pierule-shell-build2", "pierule-documents", "pierule-shell-build3"]);
});

test("the build before is the one that was installed before, also if an update was taken back", async () => {
  for (const n of [1, 2, 1]) await installed(n);
  expect(await caches.keys()).toEqual(["pierule-shell-build2", "pierule-shell-build1"]);
  await installed(3);
  expect(await caches.keys()).toEqual(["pierule-shell-build1", "pierule-shell-build3"]);
});

test.each([404, 410])("a server that answers %i for its worker removes it", async (status) => {
  const made = await installed(1);
  await made.check();
  expect(unregistered).toBe(false);
  served!["sw.js"] = status;
  await made.check();
  expect([unregistered, await caches.keys()]).toEqual([true, []]);
});

test("a build that the browser forgot is kept again", async () => {
  const made = await installed(1);
  await caches.delete("pierule-shell-build1");
  expect(await text(made, "", "navigate")).toBe(page(1));
  expect(await caches.keys()).toEqual([]); // to look for it makes no empty one
  await made.check();
  served = null;
  expect(await text(made, "", "navigate")).toBe(page(1));
});

test("a missing answer does not remove the worker", async () => {
  const made = await installed(1);
  served = null;
  await made.check();
  served = { "sw.js": 503 };
  await made.check();
  expect([unregistered, await caches.keys()]).toEqual([false, ["pierule-shell-build1"]]);
});
