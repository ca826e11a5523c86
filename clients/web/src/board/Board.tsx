/**
 * A board, drawn from its cells and the game's document, and nothing else. It is a grid for keyboards
 * and screen readers, and says which point was chosen. What that means, others decide.
 */

import type { GameDocument } from "@pierule/client";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { gameName, pieceName } from "../games/words";
import { repeated } from "../pressing";
import { texts } from "../texts";
import type { Change } from "./changes";
import { layoutOf, neighborOf, pointName, type Layout, type Spot } from "./geometry";
import { Ground } from "./Ground";
import { Piece, tintOf } from "./Pieces";

/** A point that counts for a color. One point of a group that counts together has the group's `value`. */
export interface Mark {
  color: "black" | "white";
  value: number | null;
  label: string;
}

export interface BoardProps {
  game: GameDocument;
  size: number;
  cells: readonly number[];
  /** Points of the last action, and what it changed. */
  last?: readonly number[];
  changes?: ReadonlyMap<number, Change>;
  /** A key that changes with each new movement; null: nothing moves. */
  motion?: string | null;
  /** Points that may be chosen now, whether all of them are marked, and those that were chosen. */
  targets?: ReadonlySet<string>;
  hinted?: boolean;
  picked?: readonly string[];
  /** What these points would be after an action that is not played yet. */
  ghosts?: ReadonlyMap<number, number>;
  /** Whether that action is on its way to the server. */
  sending?: boolean;
  /** Points that explain a refusal, or an example. */
  pointed?: ReadonlySet<string>;
  /** What counts at the end. */
  marks?: ReadonlyMap<number, Mark>;
  /** The piece that a click would put; null: it is not known. */
  hover?: number | null;
  /** A point was tapped; `repeated`: by the second half of a double click. */
  choose?: (point: string, repeated: boolean) => void;
  label?: string;
  /** A small picture that nobody plays on: without coordinates, and without points where nothing is. */
  bare?: boolean;
  /** Whether you see it from its other side. */
  turned?: boolean;
}

export function Board(props: BoardProps) {
  const { game, size, choose } = props;
  const layout = layoutOf(game.board, size, props.turned);
  const bare = !!props.bare;
  const frame = bare ? layout.bare : layout.frame;
  const ground = useMemo(() => <Ground layout={layout} bare={bare} />, [layout, bare]);
  const isShown = (index: number) => !bare || isDrawn(props, index);
  const { focused, setFocused, grid, onKeyDown } = useKeys(layout, choose);
  // A tap means what was shown when the finger came down, not what has come under it since.
  const pressed = useRef<BoardProps["choose"]>(undefined);
  const onTap = (point: string, event: MouseEvent) =>
    (event.detail ? pressed.current : choose)?.(point, repeated(event));

  return (
    <svg
      ref={grid}
      class={`board${choose ? " live" : ""}${props.sending ? " sending" : ""}`}
      viewBox={`${frame.x} ${frame.y} ${frame.width} ${frame.height}`}
      role="grid"
      aria-label={props.label ?? texts.value.board.label(gameName(game.game), size)}
      aria-readonly={!choose}
      aria-rowcount={size}
      aria-colcount={size}
      onKeyDown={onKeyDown}
      onPointerDown={() => (pressed.current = choose)}
    >
      {ground}
      {layout.rows.map((row) => (
        <g role="row" aria-rowindex={across(size - 1 - Math.floor(row[0]! / size), props)} key={row[0]}>
          {row.filter(isShown).map((index) => (
            <Cell key={index} {...{ index, layout, focused, onTap }} onFocus={setFocused} {...props} />
          ))}
        </g>
      ))}
      {[...(props.marks ?? [])].map(([index, mark]) => (
        <Marked key={index} mark={mark} at={layout.spot(index)} />
      ))}
    </svg>
  );
}

/** Whether a picture shows something at a point: a piece, or the sign of a change. */
const isDrawn = ({ cells, changes, last }: BoardProps, index: number): boolean =>
  !!cells[index] || !!changes?.has(index) || !!last?.includes(index);

/** The number of a row, counted from above, or of a column, counted from the left. */
const across = (at: number, { size, turned }: BoardProps): number => (turned ? size - at : at + 1);

/** The point that has the focus, and the keys that move it and choose it. */
function useKeys(layout: Layout, choose: BoardProps["choose"]) {
  const [focused, setFocused] = useState(() => middleOf(layout));
  const grid = useRef<SVGSVGElement>(null);

  useEffect(
    () => setFocused((at) => (layout.rows.some((row) => row.includes(at)) ? at : middleOf(layout))),
    [layout],
  );

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.altKey || event.metaKey) return; // these are the browser's
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (!event.repeat) choose?.(pointName(focused, layout.size), false);
      return;
    }
    const to = neighborOf(layout, focused, event.key, event.ctrlKey);
    if (to === null) return;
    event.preventDefault();
    setFocused(to);
    grid.current?.querySelector<SVGGElement>(`[data-index="${to}"]`)?.focus();
  };
  return { focused, setFocused, grid, onKeyDown };
}

/** The point in the middle; the first point if the board has none there. */
function middleOf({ rows, size }: Layout): number {
  const middle = Math.floor(size / 2) * (size + 1);
  return rows.flat().includes(middle) ? middle : rows[0]![0]!;
}

interface CellProps extends BoardProps {
  index: number;
  layout: Layout;
  /** The point that has the focus. */
  focused: number;
  onFocus: (index: number) => void;
  onTap: (point: string, event: MouseEvent) => void;
}

/** What there is to see at a point. */
function seenAt(props: CellProps) {
  const { index } = props;
  const name = pointName(index, props.size);
  const cell = props.cells[index]!;
  const ghost = props.ghosts?.get(index);
  return {
    name,
    cell,
    ghost,
    shown: ghost ?? cell,
    change: props.changes?.get(index),
    mark: props.marks?.get(index),
    isLast: props.last?.includes(index) ?? false,
    isTarget: props.targets?.has(name) ?? false,
    isPicked: props.picked?.includes(name) ?? false,
  };
}
type Seen = ReturnType<typeof seenAt>;

function Cell(props: CellProps) {
  const { size, index, layout, choose } = props;
  const seen = seenAt(props);
  const { name, cell, change, isTarget, isPicked } = seen;
  const { x, y } = layout.spot(index);
  const moves = props.motion && change ? movesOf(change, layout, index) : null;
  return (
    <g
      class={`cell${isTarget ? " target" : ""}${cell ? " full" : ""}${moves?.of ?? ""}`}
      style={moves?.style}
      role="gridcell"
      aria-colindex={across(index % size, props)}
      aria-label={labelOf(props.game, seen)}
      aria-selected={isPicked}
      tabindex={props.focused === index ? 0 : -1}
      data-index={index}
      data-point={name}
      transform={`translate(${x} ${y})`}
      onFocus={() => props.onFocus(index)}
      onClick={choose ? (event) => props.onTap(name, event) : undefined}
    >
      {!props.bare && <path class="hit" d={layout.outline} />}
      <Drawn {...props} seen={seen} />
      {props.pointed?.has(name) && <circle class="pointed" r={0.49} />}
    </g>
  );
}

/** How a change moves: when it begins, and from where a piece comes. */
function movesOf({ motion, from, step }: Change, { spot }: Layout, index: number) {
  const style: Record<string, string> = { "--step": `${Math.min(step, STEPS)}` };
  if (from === null) return { of: ` moves ${motion}`, style };
  const [old, here] = [spot(from), spot(index)];
  const [right, down] = [old.x - here.x, old.y - here.y];
  return { of: " moves slide", style: { ...style, "--from": `translate(${right}px, ${down}px)` } };
}

/** How many points of an action appear one after the other. */
const STEPS = 8;

/** The piece at a point, and the marks of an action there. */
function Drawn({ game, motion, hinted, hover, seen }: CellProps & { seen: Seen }) {
  const { ghost, shown, change, mark, isLast, isTarget, isPicked } = seen;
  const kindOf = (value: number) => game.pieces.find((piece) => piece.cell === value);
  const on = shown ? tintOf(kindOf(shown)) : "empty";
  return (
    <>
      {motion && change?.motion === "turn" && (
        <g key={`was ${motion}`} class="was">
          <Piece kind={kindOf(change.was)} />
        </g>
      )}
      {!!shown && (
        <g key={motion} class="moving">
          <Piece kind={kindOf(shown)} ghost={ghost !== undefined} />
        </g>
      )}
      {ghost === 0 && <circle class="leaving" r={0.4} />}
      {isPicked && ghost === undefined && <circle class="chosen" r={0.49} />}
      {isTarget && !shown && (
        <g class="hover">{hover ? <Piece kind={kindOf(hover)} ghost /> : <circle class="hint" r={0.2} />}</g>
      )}
      {hinted && isTarget && <circle class="hint" r={shown ? 0.49 : 0.13} />}
      {isLast && ghost === undefined && !mark && <Last on={on} />}
      {change && change.motion !== "appear" && !isLast && !mark && (
        <circle class={`changed on-${on}`} r={0.12} />
      )}
    </>
  );
}

/** Marks the last action. A piece that is no stone gets corners: a ring around it would look like the ring
 * of a point where you may not play. */
const Last = ({ on }: { on: string }) =>
  on === "neutral" ? (
    <path
      class="last on-neutral"
      d="M-.47 -.27V-.47H-.27M.27 -.47H.47V-.27M.47 .27V.47H.27M-.27 .47H-.47V.27"
    />
  ) : (
    <circle class={`last on-${on}`} r={on === "empty" ? 0.1 : 0.15} />
  );

function Marked({ mark: { color, value }, at }: { mark: Mark; at: Spot }) {
  return (
    <g
      class={`mark ${color === "black" ? "black" : "white"}`}
      aria-hidden="true"
      transform={`translate(${at.x} ${at.y})`}
    >
      <rect x={-0.15} y={-0.15} width={0.3} height={0.3} rx={0.05} />
      {value !== null && (
        <g class="value">
          <circle cx={0.3} cy={-0.3} r={0.24} />
          <text x={0.3} y={-0.3}>
            {value}
          </text>
        </g>
      )}
    </g>
  );
}

function labelOf(game: GameDocument, { name, cell, ghost, ...seen }: Seen): string {
  const { board } = texts.value;
  const more = [
    seen.isTarget && board.target,
    seen.isPicked && [board.picked, ...(ghost ? [pieceName(game, ghost)] : [])].join(": "),
    seen.isLast && board.last,
    seen.mark?.label,
  ];
  return [name, pieceName(game, cell), ...more.filter(Boolean)].join(", ");
}
