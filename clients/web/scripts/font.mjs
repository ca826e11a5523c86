// Writes the page's typeface: of Public Sans the letters that English and Spanish need, in the weights
// that the page has, with figures of one width. All else, such as Korean, comes from the system.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import subset from "subset-font";

const SOURCE = import.meta
  .resolve("@fontsource-variable/public-sans/files/public-sans-latin-wght-normal.woff2");
const FILE = new URL("../src/fonts/public-sans.woff2", import.meta.url);

const ASCII = String.fromCharCode(...Array.from({ length: 95 }, (_, at) => 32 + at));
/** The characters of the typeface. */
const CHARACTERS = `${ASCII}\u00a0¡«±·»¿×ÁÉÍÑÓÚÜáéíïñóúü–—‘’“”…−`;

const KEPT = {
  targetFormat: "woff2",
  variationAxes: { wght: { min: 400, max: 700 } },
  keepFeatures: ["tnum"], // kerning would be a fifth of the file
  noHinting: true,
  preserveNameIds: [0, 14], // whose it is, and its license
};

mkdirSync(new URL(".", FILE), { recursive: true });
writeFileSync(FILE, await subset(readFileSync(fileURLToPath(SOURCE)), CHARACTERS, KEPT));
