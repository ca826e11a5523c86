import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const here = (path: string) => fileURLToPath(new URL(path, import.meta.url));

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
  // A busy machine fails no test for its time.
  test: { include: ["client/test/**/*.test.ts", "test/**/*.test.ts"], testTimeout: 60_000 },
});
