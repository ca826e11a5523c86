// Writes a brotli and a gzip version beside each built file that gets smaller by it, and says how
// much a first visit loads.

import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const FOLDER = new URL("../../../server/pierule_server/page/", import.meta.url);
const MOST = 90_000; // bytes of a first visit, compressed

const brotli = (data) => brotliCompressSync(data, { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } });

const sizes = new Map();
for (const entry of readdirSync(FOLDER, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile()) continue;
  const path = new URL(`file://${entry.parentPath}/${entry.name}`);
  const data = readFileSync(path);
  const [small, middling] = [brotli(data), gzipSync(data, { level: 9 })];
  if (small.length < data.length) writeFileSync(`${path.pathname}.br`, small);
  if (middling.length < data.length) writeFileSync(`${path.pathname}.gz`, middling);
  sizes.set(entry.name, Math.min(middling.length, data.length));
}

const index = readFileSync(new URL("index.html", FOLDER), "utf-8");
const first = [...index.matchAll(/(?:src|href)="(?:[^"]*\/)?([^"/]+\.(?:js|css|svg|woff2))"/g)].map(
  ([, name]) => name,
);
const load = ["index.html", ...first].reduce((sum, name) => sum + (sizes.get(name) ?? 0), 0);
console.log(`first load: ${(load / 1000).toFixed(1)} kB compressed with gzip`);
if (load > MOST) throw new Error(`the first load is over ${MOST / 1000} kB`);
