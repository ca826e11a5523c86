/**
 * What boards and pieces are made of: the gradients and grains that `art.css` refers to. They are loaded
 * after the page, which is complete without them: until then boards are flat.
 */

import "../styles/art.css";

type Stop = readonly [at: number, color: string, opacity?: number];

const stops = (list: readonly Stop[]): string =>
  list
    .map(
      ([at, color, opacity = 1]) => `<stop offset="${at}" stop-color="${color}" stop-opacity="${opacity}"/>`,
    )
    .join("");

/** The light comes from the upper left. */
const round = (id: string, list: readonly Stop[]): string =>
  `<radialGradient id="${id}" cx=".36" cy=".3" r=".78">${stops(list)}</radialGradient>`;

const PIECES = [
  round("art-black", [[0, "#666e77"], [0.25, "#3c4249"], [0.62, "#191c20"], [0.9, "#060708"], [1, "#15181b"]]),
  round("art-white", [[0, "#ffffff"], [0.45, "#f8f6f1"], [0.8, "#dfdbd1"], [0.96, "#b9b3a5"], [1, "#cfcabd"]]),
  round("art-shooter", [[0, "#ffc48f"], [0.35, "#e0692b"], [0.75, "#b23f0c"], [1, "#7d2905"]]),
  round("art-claimed", [[0, "#d9dde1"], [0.5, "#9aa2aa"], [1, "#666d75"]]),
  `<radialGradient id="art-shadow">${stops([[0.7, "#000", 0.5], [0.86, "#000", 0.22], [1, "#000", 0]])}</radialGradient>`,
  `<radialGradient id="art-gleam">${stops([[0, "#fff", 0.75], [1, "#fff", 0]])}</radialGradient>`,
  `<linearGradient id="art-light" x2="1" y2="1">${stops([[0, "#fff", 0.16], [0.5, "#fff", 0], [1, "#000", 0.06]])}</linearGradient>`,
].join(""); // oxfmt-ignore

const WIDE = 12;
const HIGH = 8;

/** Numbers from 0 to 1 that look random, and are the same each time. */
const scattered = (at: number): number => Math.abs(Math.sin(at * 12.9898) * 43758.5453) % 1;

/** A wavy line across the pattern. It ends at the height at which it begins, so that copies join. */
function wave(at: number, lines: number): string {
  const [high, phase] = [(0.3 + scattered(at)) * 0.35, scattered(at + 50) * WIDE];
  const y = ((at + scattered(at + 9) * 0.8) * HIGH) / lines;
  const points = Array.from({ length: 25 }, (_, step) => {
    const x = (step * WIDE) / 24;
    const turn = (2 * Math.PI * (x + phase)) / WIDE;
    return `${x} ${(y + high * (Math.sin(turn) + 0.4 * Math.sin(3 * turn))).toFixed(2)}`;
  });
  const [width, opacity] = [0.015 + 0.07 * scattered(at + 7) ** 2, 0.07 + 0.16 * scattered(at + 3)];
  return `<path d="M${points.join("L")}" stroke-width="${width.toFixed(3)}" opacity="${opacity.toFixed(2)}"/>`;
}

/** Short lines at random places, like fibers in paper or scratches in stone, as one path. */
const fibers = (count: number, from: number, long: number): string =>
  `<path d="${many(count, (at) => fiber(from + at, long))}"/>`;

function fiber(at: number, long: number): string {
  const [x, y, turn] = [scattered(at) * WIDE, scattered(at + 100) * HIGH, scattered(at + 200)];
  const [right, down] = [long * Math.cos(3 * turn), long * Math.sin(3 * turn) * 0.4];
  return `M${x.toFixed(2)} ${y.toFixed(2)}l${right.toFixed(2)} ${down.toFixed(2)}`;
}

const many = (count: number, one: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => one(at)).join("");

const grain = (id: string, lines: string): string =>
  `<pattern id="${id}" patternUnits="userSpaceOnUse" width="${WIDE}" height="${HIGH}">${lines}</pattern>`;

const GRAINS = [
  grain("art-wood", `<g fill="none" stroke="#5b2f08">${many(26, (at) => wave(at, 26))}</g>`),
  grain(
    "art-slate",
    `<g fill="none" stroke="#fff" stroke-width=".02" opacity=".09">${fibers(70, 0, 0.9)}</g>` +
      `<g fill="none" stroke="#000" stroke-width=".03" opacity=".14">${fibers(60, 300, 0.7)}</g>`,
  ),
  grain(
    "art-paper",
    `<g fill="none" stroke="#7d7157" stroke-width=".012" opacity=".17">${fibers(190, 0, 0.13)}</g>` +
      `<g fill="none" stroke="#fff" stroke-width=".02" opacity=".4">${fibers(120, 400, 0.1)}</g>`,
  ),
].join("");

// Not `display: none`: in some browsers a hidden gradient paints nothing.
document.body.insertAdjacentHTML(
  "beforeend",
  `<svg class="art" width="0" height="0" aria-hidden="true"><defs>${PIECES}${GRAINS}</defs></svg>`,
);
