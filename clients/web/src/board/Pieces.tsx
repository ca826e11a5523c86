/** What stands on a board, drawn around the middle of its point, in units of one cell (SPEC 26.8). */

import type { Piece as Kind } from "@pierule/client";

/** Outlines by shape. Pieces differ in shape and not in color alone, for people who cannot tell the colors
 * apart. */
const SHAPES: Record<string, string> = {
  disc: "M-.43 0a.43 .43 0 1 0 .86 0a.43 .43 0 1 0 -.86 0Z",
  ring: "M-.43 0a.43 .43 0 1 0 .86 0a.43 .43 0 1 0 -.86 0ZM-.2 0a.2 .2 0 1 1 .4 0a.2 .2 0 1 1 -.4 0Z",
  star: "M0 -.45L.13 -.13L.45 0L.13 .13L0 .45L-.13 .13L-.45 0L-.13 -.13Z",
  square: "M-.35 -.35H.35V.35H-.35Z",
  diamond: "M0 -.46L.46 0L0 .46L-.46 0Z",
  triangle: "M0 -.44L.42 .3H-.42Z",
  cross: "M-.15 -.43H.15V-.15H.43V.15H.15V.43H-.15V.15H-.43V-.15H-.15Z",
  hexagon: "M0 -.44L.38 -.22V.22L0 .44L-.38 .22V-.22Z",
};

/** The sides of a star that lie in the shade. */
const FACETS = "M0 0L0 -.45L.13 -.13ZM0 0L.45 0L.13 .13ZM0 0L0 .45L-.13 .13ZM0 0L-.45 0L-.13 -.13Z";

/** Where a stone reflects the light. */
const GLEAM = { cx: -0.15, cy: -0.2, rx: 0.13, ry: 0.075, transform: "rotate(-38 -.15 -.2)" };

/** The color that a piece is drawn in. */
export const tintOf = (kind: Kind | undefined): string =>
  kind?.tint === "black" || kind?.tint === "white" ? kind.tint : "neutral";

/** A piece. If its kind or shape is not known, it is a disc with its character. */
export function Piece({ kind, ghost = false }: { kind: Kind | undefined; ghost?: boolean }) {
  const shape = kind && Object.hasOwn(SHAPES, kind.shape) ? kind.shape : null;
  const owner = kind?.owner === "black" || kind?.owner === "white" ? kind.owner : null;
  const outline = SHAPES[shape ?? "disc"]!;
  const isRound = outline === SHAPES.disc || outline === SHAPES.ring;
  return (
    <g class={`piece ${tintOf(kind)}${owner ? " owned" : ""}${ghost ? " ghost" : ""}`} aria-hidden="true">
      {isRound ? (
        <circle class="shadow" cx={0.04} cy={0.07} r={0.5} fill="none" />
      ) : (
        <path class="shade" d={outline} transform="translate(.04 .07)" fill="none" />
      )}
      <path class="body" d={outline} fill-rule="evenodd" />
      {outline === SHAPES.disc && <ellipse class="gleam" {...GLEAM} fill="none" />}
      {shape === "star" && <path class="facets" d={FACETS} fill="none" />}
      {owner && <circle class={`owner ${owner}`} r={0.24} />}
      {shape === "star" && !owner && <circle class="hub" r={0.09} />}
      {!shape && <text class="plain">{kind?.plain ?? "?"}</text>}
    </g>
  );
}
