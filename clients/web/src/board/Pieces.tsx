/** What stands on a board, drawn around the middle of its point, in units of one cell. */

const EMPTY = 0;

/** A cell's stone or shooter; shapes differ, so that color alone says nothing. */
export function Piece({ cell, ghost = false }: { cell: number; ghost?: boolean }) {
  if (cell === EMPTY) return null;
  const kind = ["", "black", "white", "shooter", "shooter claimed-black", "shooter claimed-white"][cell];
  return (
    <g class={`piece ${kind}${ghost ? " ghost" : ""}`}>
      {cell < 3 ? <circle r={0.43} class="body" /> : <Shooter claimed={cell - 3} />}
    </g>
  );
}

/** A weathervane: four points, and whose it is in its middle. */
function Shooter({ claimed }: { claimed: number }) {
  return (
    <>
      <path class="body" d="M0 -.45 L.13 -.13 L.45 0 L.13 .13 L0 .45 L-.13 .13 L-.45 0 L-.13 -.13 Z" />
      {claimed === 0 ? <circle class="hub" r={0.09} /> : <circle class="owner" r={0.24} />}
    </>
  );
}
