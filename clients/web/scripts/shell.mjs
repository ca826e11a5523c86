// Writes what makes the built page installable: the icons, and into its service worker the name of the
// build and its files.

import { createHash } from "node:crypto";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { relative } from "node:path";
import { icon } from "./icons.mjs";

const FOLDER = new URL("../../../server/pierule_server/page/", import.meta.url);
const WORKER = "sw.js";
const PLACE = "PIERULE_BUILD";

writeFileSync(new URL("icon-192.png", FOLDER), icon(192, 0.8));
writeFileSync(new URL("icon-512.png", FOLDER), icon(512, 0.8));
writeFileSync(new URL("icon-maskable.png", FOLDER), icon(512, 0.6)); // systems cut off what is outside

// Systems fetch the icons when they install the page; without a connection nobody needs them.
const files = readdirSync(FOLDER, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && entry.name !== WORKER && !entry.name.endsWith(".png"))
  .map((entry) => relative(FOLDER.pathname, `${entry.parentPath}/${entry.name}`))
  .sort();
const code = readFileSync(new URL(WORKER, FOLDER), "utf-8");
if (code.split(PLACE).length !== 2 || /^(import|export)\b/m.test(code))
  throw new Error(`${WORKER} is not one script with one ${PLACE}`);
const hash = createHash("sha256").update(code);
for (const file of files) hash.update(file).update(readFileSync(new URL(file, FOLDER)));
const build = { name: hash.digest("hex").slice(0, 16), files };
writeFileSync(
  new URL(WORKER, FOLDER),
  code.replace(PLACE, () => JSON.stringify(build)),
);
