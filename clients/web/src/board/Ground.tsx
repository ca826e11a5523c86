/** A board without anything on it: cells or lines, edges, and coordinates (SPEC 26.5, 26.6). */

import { pointIndex } from "@pierule/client";
import { spotsOf, type Layout, type Spot } from "./geometry";

export function Ground({ layout, bare }: { layout: Layout; bare: boolean }) {
  const { shape, size, letter } = layout;
  const frame = bare ? layout.bare : layout.frame;
  const letters = bare ? [] : layout.letters;
  const { lines = [], strong = [], dots = [], edges = [] } = shape;
  return (
    <g class="ground" aria-hidden="true">
      <rect class="plate" {...frame} rx={0.025 * size + 0.1} />
      {layout.cells &&
        shadesOf(layout).map((d, shade) => <path key={shade} class={`shade-${shade}`} d={d} />)}
      <Grain frame={frame} size={size} />
      <path class="line" d={linesOf(layout, lines)} />
      <path class="strong" d={linesOf(layout, strong)} />
      {spotsOf(layout, dots).map(({ x, y }) => (
        <circle key={`${x} ${y}`} class="dot" cx={x} cy={y} r={0.09} />
      ))}
      {edges.map(({ points, color }, at) => (
        <path key={at} class={`edge ${color === "black" ? "black" : "white"}`} d={sidesOf(layout, points)} />
      ))}
      {letters.map(({ text, at: { x, y } }) => (
        <text key={text} class="coordinate" x={x} y={y} font-size={letter}>
          {text}
        </text>
      ))}
    </g>
  );
}

/** What the board is made of, as fine on a small board as on a large one, and the light on it. */
function Grain({ frame: { x, y, width, height }, size }: { frame: Layout["frame"]; size: number }) {
  const scale = width / 16;
  const at = { x: x / scale, y: y / scale, width: width / scale, height: height / scale };
  const corner = 0.025 * size + 0.1;
  return (
    <>
      <rect class="grain" {...at} rx={corner / scale} transform={`scale(${scale})`} fill="none" />
      <rect class="light" {...{ x, y, width, height }} rx={corner} fill="none" />
    </>
  );
}

const written = ({ x, y }: Spot): string => `${x},${y}`;

/** All lines as one path. */
const linesOf = (layout: Layout, lines: readonly (readonly string[])[]): string =>
  lines.map((names) => `M${spotsOf(layout, names).map(written).join("L")}`).join("");

/** The cells of each shade as one path. Neighboring cells have different shades: two on squares, three on
 * hexagons. */
function shadesOf({ size, rows, spot, outline, shades }: Layout): string[] {
  const paths = Array.from({ length: shades }, () => "");
  for (const index of rows.flat()) {
    const [column, row] = [index % size, Math.floor(index / size)];
    paths[(column + (shades - 1) * row) % shades] += `M${written(spot(index))}${outline}`;
  }
  return paths;
}

/** The outer sides of these points, as one path. */
function sidesOf(layout: Layout, names: readonly string[]): string {
  return names
    .map((name) => pointIndex(name, layout.size))
    .filter((index) => index !== null)
    .flatMap(layout.outside)
    .map(([from, to]) => `M${written(from)}L${written(to)}`)
    .join("");
}
