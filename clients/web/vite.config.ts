import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

const TESTS = ["client/test", "test"].flatMap((folder) =>
  readdirSync(here(folder), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => `${folder}/${name}`),
);
const REPLACING = TESTS.filter((path) =>
  /vi\.(mock|doMock|stubGlobal)\(/.test(readFileSync(here(path), "utf8")),
);

export default defineConfig({
  resolve: { alias: { "@pierule/client": here("./client/src/index.ts") } },
  base: "./",
  server: {
    proxy: {
      "/ws": { target: "ws://127.0.0.1:8000", ws: true },
      "/games": "http://127.0.0.1:8000",
      "/api": "http://127.0.0.1:10000",
    },
  },
  build: {
    outDir: here("../../server/pierule_server/page"),
    emptyOutDir: true,
    target: "es2022",
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    rolldownOptions: {
      input: { index: here("./index.html"), sw: here("./worker/sw.ts") },
      // Browsers look for a new worker at the address of the old one.
      output: { entryFileNames: ({ name }) => (name === "sw" ? "sw.js" : "assets/[name]-[hash].js") },
    },
  },
  test: {
    // A busy machine fails no test for its time.
    testTimeout: 60_000,
    pool: "threads",
    maxWorkers: 2,
    // Most files share what they import, which takes longer than their tests. A file that replaces
    // a module or a global has its own.
    projects: [
      { extends: true, test: { name: "shared", isolate: false, include: TESTS, exclude: REPLACING } },
      { extends: true, test: { name: "own", include: REPLACING } },
    ],
  },
});
