/**
 * A board, drawn from a position and nothing else. It is a grid for keyboards and screen readers, and
 * tells which point was chosen; what that means is not known here.
 */

import type { PositionState } from "@pierule/client";
import { pointName } from "@pierule/client";
import { useEffect, useRef, useState } from "preact/hooks";
import { repeated } from "../pressing";
import { texts } from "../texts";
import type { Change } from "./changes";
import { exists, hasSquares, linesOf, neighborOf, rowsOf, spotOf } from "./geometry";
import { Piece } from "./Pieces";

export interface BoardProps {
  position: PositionState;
  /** Points of the last action, and what it changed. */
  last?: readonly number[];
  changes?: ReadonlyMap<number, Change>;
  /** Changes whenever there is something new to be moved; null: nothing moves. */
  motion?: string | null;
  /** Points that may be chosen now, and whether all of them are marked; those that were chosen. */
  targets?: ReadonlySet<string>;
  hinted?: boolean;
  ghosts?: ReadonlyMap<number, number>;
  /** Points that are on their way to the server. */
  sending?: boolean;
  /** Points that explain a refusal, or an example. */
  pointed?: ReadonlySet<string>;
  /** What a stone put by a pointer would be; null: nothing. */
  hover?: number | null;
  /** A point was tapped; `repeated`: as the second one of a double click. */
  choose?: (point: string, repeated: boolean) => void;
  label?: string;
}

const RIM = 0.3;

/** How large coordinates are, in cells, so that they look alike on boards of every size. */
const letterOf = (size: number) => Math.min(0.46, size * 0.032);
/** How wide the sides with coordinates are. */
const marginOf = (size: number) => RIM + letterOf(size);
const NONE: ReadonlySet<string> = new Set();
const NO_CHANGES: ReadonlyMap<number, Change> = new Map();
const NO_GHOSTS: ReadonlyMap<number, number> = new Map();

export function Board(props: BoardProps) {
  const { position, choose } = props;
  const { size, game } = position;
  const [focused, setFocused] = useState(Math.floor(size / 2) * size + Math.floor(size / 2));
  const margin = marginOf(size);
  const box = `${-margin} ${-RIM} ${size + margin + RIM} ${size + margin + RIM}`;
  const grid = useRef<SVGSVGElement>(null);

  useEffect(() => setFocused((at) => Math.min(at, size * size - 1)), [size]);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey) return; // these are the browser's
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (!event.repeat && exists(game, size, focused)) choose?.(pointName(focused, size), false);
      return;
    }
    const to = neighborOf(focused, size, event.key, event.ctrlKey);
    if (to === null) return;
    event.preventDefault();
    setFocused(to);
    grid.current?.querySelector<SVGGElement>(`[data-index="${to}"]`)?.focus();
  };

  // A tap means what was shown when the finger came down, not what has come under it since.
  const pressed = useRef<BoardProps["choose"]>(undefined);
  const onTap = (point: string, event: MouseEvent) =>
    (event.detail ? pressed.current : choose)?.(point, repeated(event));

  return (
    <svg
      ref={grid}
      class={`board ${game}${choose ? " live" : ""}${props.sending ? " sending" : ""}`}
      viewBox={box}
      role="grid"
      aria-label={props.label ?? texts.value.board.label(texts.value.games[game]?.name ?? game, size)}
      aria-readonly={!choose}
      aria-rowcount={size}
      aria-colcount={size}
      onKeyDown={onKeyDown}
      onPointerDown={() => (pressed.current = choose)}
    >
      <Ground game={game} size={size} />
      {rowsOf(size).map((row, at) => (
        <g role="row" aria-rowindex={at + 1} key={at}>
          {row.map((index) => (
            <Cell
              key={index}
              index={index}
              tab={index === focused}
              onFocus={setFocused}
              onTap={onTap}
              {...props}
            />
          ))}
        </g>
      ))}
    </svg>
  );
}

interface CellProps extends BoardProps {
  index: number;
  tab: boolean;
  onFocus: (index: number) => void;
  onTap: (point: string, event: MouseEvent) => void;
}

function Cell(props: CellProps) {
  const { position, index, choose, targets = NONE, pointed = NONE, ghosts = NO_GHOSTS } = props;
  const { size, game } = position;
  const { x, y } = spotOf(index, size);
  const name = pointName(index, size);
  const cell = position.cells[index]!;
  const ghost = ghosts.get(index);
  const change = (props.changes ?? NO_CHANGES).get(index);
  const isLast = props.last?.includes(index) ?? false;
  const isTarget = targets.has(name);
  const shown = ghost ?? cell;
  const moves = props.motion && change ? ` moves ${change}` : "";
  const classes = `cell${isTarget ? " target" : ""}${cell ? " full" : ""}${ghost !== undefined ? " picked" : ""}${moves}`;
  return (
    <g
      class={classes}
      role="gridcell"
      aria-colindex={(index % size) + 1}
      aria-label={labelOf(props, name, cell, isTarget, ghost !== undefined, isLast)}
      aria-selected={ghost !== undefined}
      tabindex={props.tab ? 0 : -1}
      data-index={index}
      data-point={name}
      transform={`translate(${x} ${y})`}
      onFocus={() => props.onFocus(index)}
      onClick={choose && exists(game, size, index) ? (event) => props.onTap(name, event) : undefined}
    >
      <rect class="hit" x={-0.5} y={-0.5} width={1} height={1} />
      <g key={props.motion} class="moving">
        <Piece cell={shown} ghost={ghost !== undefined} />
      </g>
      {ghost === 0 && <circle class="leaving" r={0.4} />}
      {props.hover && isTarget && !shown && (
        <g class="hover">
          <Piece cell={props.hover} ghost />
        </g>
      )}
      {props.hinted && isTarget && <circle class="hint" r={shown ? 0.49 : 0.13} />}
      {isLast && !ghost && <circle class={`last on-${shown}`} r={shown ? 0.15 : 0.1} />}
      {change && change !== "placed" && change !== "moved" && !isLast && (
        <circle class={`changed on-${shown}`} r={0.12} />
      )}
      {pointed.has(name) && <circle class="pointed" r={0.49} />}
    </g>
  );
}

function labelOf(
  { position: { game, size }, index }: CellProps,
  name: string,
  cell: number,
  target: boolean,
  picked: boolean,
  last: boolean,
): string {
  const { board } = texts.value;
  if (!exists(game, size, index)) return `${name}, ${board.corner}`;
  const more = [target && board.target, picked && board.picked, last && board.last];
  return [name, board.cells[cell], ...more.filter(Boolean)].join(", ");
}

/** The board without anything on it, and its coordinates. */
function Ground({ game, size }: { game: string; size: number }) {
  const squares = hasSquares(game);
  const [letter, margin] = [letterOf(size), marginOf(size)];
  const middle = margin * 0.47;
  return (
    <g class="ground" aria-hidden="true">
      <rect
        class="plate"
        x={-margin}
        y={-RIM}
        width={size + margin + RIM}
        height={size + margin + RIM}
        rx={0.025 * size + 0.1}
      />
      {squares &&
        rowsOf(size)
          .flat()
          .map((index) => {
            const { x, y } = spotOf(index, size);
            const dark = ((index % size) + Math.floor(index / size)) % 2 === 0;
            return (
              <rect
                key={index}
                class={`square${dark ? " dark" : ""}`}
                x={x - 0.5}
                y={y - 0.5}
                width={1}
                height={1}
              />
            );
          })}
      {linesOf(game, size).map(([from, to], at) => (
        <line key={at} class="line" x1={from.x} y1={from.y} x2={to.x} y2={to.y} />
      ))}
      {game === "taugo" && <Taugo size={size} />}
      {Array.from({ length: size }, (_, at) => (
        <g key={at} class="coordinates" font-size={letter}>
          <text x={at + 0.5} y={size + middle}>
            {String.fromCharCode(97 + at)}
          </text>
          <text x={-middle} y={size - at - 0.5}>
            {at + 1}
          </text>
        </g>
      ))}
    </g>
  );
}

/** The perimeter line, drawn stronger, and the edge points, each at the end of its line. */
function Taugo({ size }: { size: number }) {
  const edge = rowsOf(size)
    .flat()
    .filter((index) => {
      const [column, row] = [index % size, Math.floor(index / size)];
      const outer = column === 0 || row === 0 || column === size - 1 || row === size - 1;
      return outer && exists("taugo", size, index);
    });
  return (
    <>
      <rect class="perimeter" x={1.5} y={1.5} width={size - 3} height={size - 3} />
      {edge.map((index) => {
        const { x, y } = spotOf(index, size);
        return <circle key={index} class="edge" cx={x} cy={y} r={0.09} />;
      })}
    </>
  );
}
