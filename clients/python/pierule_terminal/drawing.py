"""A board as lines of text, drawn from its cells and the game document. Pure.

Marked points stand in brackets. Nothing depends on colors: without them, pieces differ by their
glyphs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from pierule_games.description import Piece
from pierule_games.game import BLACK, EMPTY, WHITE
from pierule_terminal.document import Document
from pierule_terminal.plan import EAST, NORTH, SOUTH, WEST, Plan
from pierule_terminal.screen import columns, fit
from pierule_terminal.style import Ink, Run, Style, paint, paint_board

LAST, PICKED, CURSOR, COUNTED = "[]", "()", "<>", "{}"
"""Brackets around points: of the last action, of picked points, of the point under the cursor, and
of points that count in an account."""

_STRENGTH = {kind: rank for rank, kind in enumerate(("", COUNTED, LAST, PICKED, CURSOR))}

_BOX = "·╵╶└╷│┌├╴┘─┴┐┤┬┼"
"""How to draw a point without a piece, by the sides on which lines leave it."""

_UNKNOWN = "?", Ink.mark
"""How to draw a cell value that the document does not know."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What to draw besides a position, by cell index: brackets around points, empty points that may
    be picked, and pieces that are not played yet."""

    brackets: Mapping[int, str] = field(default_factory=dict)
    targets: Collection[int] = ()
    pieces: Mapping[int, int] = field(default_factory=dict)


def draw_board(
    document: Document, size: int, cells: Sequence[int], marks: Marks, style: Style
) -> list[str]:
    """The board with its coordinates, the highest row first."""
    plan = document.plan(size)
    faces = _faces(document, style)
    lines = []
    for y, row in enumerate(plan.rows):
        outside = [" "] * plan.width
        for x, at, text in plan.labels:
            if at == y:
                outside[x : x + len(text)] = text
        first, last = 0, 0
        runs: list[Run] = []
        if row:
            first, last = plan.points[row[0]][0] - 1, plan.points[row[-1]][0] + 2
            runs = _row(plan, cells, y, faces, marks, style)
        line = "".join(
            [
                _outside(outside[:first], style),
                paint_board(runs, style) if runs else "",
                _outside(outside[last:], style),
            ]
        )
        lines.append(line if style.color else line.rstrip())
    return lines


def glyph(document: Document, cell: int, style: Style) -> str:
    """A piece, colored as on the board."""
    character, ink = _faces(document, style).get(cell, _UNKNOWN)
    return paint_board([(f" {character} ", ink)], style) if style.color else character


def legend(document: Document, cells: Sequence[int], style: Style, width: int) -> list[str]:
    """The names of the pieces on the board other than stones, as many per line as fit."""
    lines: list[str] = []
    left = 0
    for cell in sorted(set(cells) - {EMPTY, BLACK, WHITE}):
        name = fit(document.named(cell), width - 4)
        entry = f"{glyph(document, cell, style)} {name}"
        takes = columns(name) + (4 if style.color else 2)  # colored, a space is on either side
        if left >= takes + 2:
            lines[-1] += f"  {entry}"
            left -= takes + 2
        else:
            lines.append(entry)
            left = width - takes
    return lines


def points_of(document: Document, size: int, action: str) -> frozenset[int]:
    """The cells that an action names, and those between the ends of a segment (SPEC 26.8)."""
    plan, named = document.plan(size), _POINT.findall(action)
    if document.data.segments and len(named) == 2 and action == "-".join(named):
        return frozenset(plan.between(*named))
    return frozenset(cell for point in named for cell in plan.between(point, point))


_POINT = re.compile("[a-z][1-9][0-9]?")


def last_action(document: Document, size: int, action: str) -> Marks:
    """The marks of the last action."""
    return Marks(dict.fromkeys(points_of(document, size, action), LAST))


def _outside(characters: list[str], style: Style) -> str:
    text = "".join(characters)
    return paint(text, Ink.label, style) if text else ""


def _row(
    plan: Plan, cells: Sequence[int], y: int, faces: Mapping[int, Run], marks: Marks, style: Style
) -> list[Run]:
    """A row, from the gap before its first point to the gap after its last."""
    row = plan.rows[y]
    at = {plan.points[cell][0]: cell for cell in row}
    lined = style.unicode or plan.lined
    runs: list[Run] = []
    for x in range(min(at) - 1, max(at) + 2):
        if x not in at:
            runs.append(_gap(plan, (at.get(x - 1), at.get(x + 1)), marks, lined, style))
            continue
        cell = at[x]
        piece = marks.pieces.get(cell) or cells[cell]
        if piece:
            runs.append(faces.get(piece, _UNKNOWN))
        elif cell in marks.targets:
            runs.append(("x" if style.unicode else ":", Ink.mark))
        else:
            runs.append(_empty(plan, cell, lined, style))
    return runs


def _gap(
    plan: Plan, beside: tuple[int | None, int | None], marks: Marks, lined: bool, style: Style
) -> Run:
    """What stands between two points: a bracket, a piece of a line, or a space. Of two different
    brackets, the cursor's wins, then that of picked points."""
    one, other = beside
    left, right = (marks.brackets.get(cell, "") if cell is not None else "" for cell in beside)
    if left or right:
        if left == right:
            return " ", Ink.mark
        return (left[1] if _STRENGTH[left] > _STRENGTH[right] else right[0]), Ink.mark
    if lined and one is not None and other is not None and plan.arms[one] & EAST:
        strong = one in plan.strong and other in plan.strong
        return "─" if style.unicode else "-", Ink.strong if strong else Ink.line
    return " ", Ink.line


def _empty(plan: Plan, cell: int, lined: bool, style: Style) -> Run:
    arms = plan.arms[cell]
    ink = Ink.strong if cell in plan.strong else Ink.line
    if style.unicode:
        return _BOX[arms], ink
    if not lined or not arms:
        return ".", ink
    upright, across = arms & (NORTH | SOUTH), arms & (EAST | WEST)
    return "+" if upright and across else "|" if upright else "-", ink


def _faces(document: Document, style: Style) -> dict[int, Run]:
    """The glyph and the color of each piece. With color, black and white stones share a glyph.
    Without color, each piece has its own glyph."""
    faces: dict[int, Run] = {}
    shared: dict[tuple[str, str], str] = {}
    for piece in document.data.pieces:
        character = document.character(piece, unicode=style.unicode)
        kind = shared.setdefault((piece.name, piece.shape), character)
        face = kind, _ink(piece)
        plain = not (style.unicode and style.color) or style.shapes
        faces[piece.cell] = (character, _ink(piece)) if plain or face in faces.values() else face
    return faces


def _ink(piece: Piece) -> str:
    return {"black": Ink.black, "white": Ink.white}.get(piece.owner or piece.tint, Ink.neutral)
