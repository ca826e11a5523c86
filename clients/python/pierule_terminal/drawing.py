"""A board as lines of text: pure, from a position's fields and the points of the last action.

Loose shows the lines that its stones stand on, Taugo also that none runs along the edge and that
the corners are missing, Veletas its squares. Every point is one character wide, with one between
neighbors, so that size 19 takes 20 lines of 43 columns. What is marked stands in brackets. Colors
only add to that: without them stones differ by their glyphs.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from pierule_games.game import BLACK, BLACK_SHOOTER, EMPTY, SHOOTER, WHITE, WHITE_SHOOTER
from pierule_protocol.state.position import HasFields


@dataclass(frozen=True, slots=True)
class Style:
    """What the terminal can show."""

    color: bool = False
    unicode: bool = True
    shapes: bool = False
    """Whether black and white differ by more than color also where there are colors."""
    few: bool = False
    """Whether there are no more than 16 colors."""


@dataclass(frozen=True, slots=True)
class Ink:
    """SGR parameters of what is drawn on a board in color."""

    board = "48;5;180"
    line = "38;5;137"
    black = "38;5;16"
    white = "1;38;5;231"
    shooter = "38;5;124"
    mark = "1;38;5;160"
    label = "2"


_FEW = {
    Ink.board: "43", Ink.line: "30", Ink.black: "30", Ink.white: "1;97", Ink.shooter: "31",
    Ink.mark: "1;31",
}  # fmt: skip
"""The same where there are 16 colors."""

_GLYPHS = {BLACK: "●", WHITE: "○", SHOOTER: "▲", BLACK_SHOOTER: "■", WHITE_SHOOTER: "□"}
_COLORED = {BLACK: "●", WHITE: "●", SHOOTER: "▲", BLACK_SHOOTER: "■", WHITE_SHOOTER: "■"}
_ASCII = {BLACK: "X", WHITE: "O", SHOOTER: "*", BLACK_SHOOTER: "B", WHITE_SHOOTER: "W"}
_INKS = {
    BLACK: Ink.black,
    WHITE: Ink.white,
    SHOOTER: Ink.shooter,
    BLACK_SHOOTER: Ink.black,
    WHITE_SHOOTER: Ink.white,
}

Run = tuple[str, str]
"""A piece of text and the ink that it is drawn with."""

LAST, PICKED, CURSOR = "[]", "()", "<>"
"""Brackets around points: of the last action, of one being put together, under the cursor."""


@dataclass(frozen=True, slots=True)
class Marks:
    """What is drawn beside a position, by cell index: brackets around points, and the empty
    points that may be chosen."""

    brackets: Mapping[int, str] = field(default_factory=dict)
    targets: Collection[int] = ()


def draw_board(position: HasFields, marks: Marks, style: Style) -> list[str]:
    """The board with its coordinates, the highest row first."""
    size, wide = position.size, len(str(position.size))
    lines = []
    for row in range(size - 1, -1, -1):
        label = paint(f"{row + 1:>{wide + 1}} ", Ink.label, style)
        lines.append(label + _paint_row(_row(position, row, marks, style), style))
    letters = " ".join(chr(97 + column) for column in range(size))
    lines.append(paint(f"{'':{wide + 2}} {letters} ", Ink.label, style))
    return lines if style.color else [line.rstrip() for line in lines]


def board_width(size: int) -> int:
    """How many columns `draw_board` takes."""
    return len(str(size)) + 2 + 2 * size + 1


def place_of(cell: int, size: int) -> tuple[int, int]:
    """Column and line at which `draw_board` draws a cell."""
    row, column = divmod(cell, size)
    return len(str(size)) + 3 + 2 * column, size - 1 - row


def cell_at(x: int, y: int, size: int) -> int | None:
    """The cell that is drawn at this column and line, or right before it; None off the board."""
    column, row = (x - len(str(size)) - 2) // 2, size - 1 - y
    on_board = 0 <= column < size and 0 <= row < size
    return row * size + column if on_board else None


def glyph(cell: int, style: Style) -> str:
    """How a piece is drawn, colored as on the board."""
    character = _glyph(cell, style)
    return _paint_row([(f" {character} ", _INKS[cell])], style) if style.color else character


def paint(text: str, ink: str, style: Style) -> str:
    """`text` in a color (SGR parameters), where the style has colors."""
    return f"\x1b[{ink}m{text}\x1b[0m" if style.color else text


def _row(position: HasFields, row: int, marks: Marks, style: Style) -> list[Run]:
    """One row from its left margin to its right one: a character for each point and gap."""
    size, game = position.size, position.game
    runs: list[Run] = []
    for column in range(size + 1):
        here = row * size + column
        left = marks.brackets.get(here - 1, "") if column > 0 else ""
        right = marks.brackets.get(here, "") if column < size else ""
        runs.append(_gap(game, size, row, column, (left, right), style))
        if column < size:
            runs.append(_point(position, row, column, here in marks.targets, style))
    return runs


def _gap(
    game: str, size: int, row: int, column: int, brackets: tuple[str, str], style: Style
) -> Run:
    """What stands left of a point: a bracket, a piece of the line, or nothing. Of two different
    brackets it is the cursor's, or else that of what is being put together."""
    left, right = brackets
    if left or right:
        if left == right:
            return " ", Ink.mark
        return (left[1] if _STRENGTH[left] > _STRENGTH[right] else right[0]), Ink.mark
    linked = 0 < column < size and (game == "loose" or (game == "taugo" and 0 < row < size - 1))
    return ("─" if style.unicode else "-") if linked and _lined(game, style) else " ", Ink.line


_STRENGTH = {kind: strength for strength, kind in enumerate(("", LAST, PICKED, CURSOR))}


def _lined(game: str, style: Style) -> bool:
    """Whether the lines between points are drawn: in ASCII only where they say something."""
    return style.unicode or game == "taugo"


def _point(position: HasFields, row: int, column: int, target: bool, style: Style) -> Run:
    cell = position.cells[row * position.size + column]
    if cell != EMPTY:
        return _glyph(cell, style), _INKS[cell]
    if target:
        return ("x" if style.unicode else ":"), Ink.mark
    last = position.size - 1
    if position.game == "loose":
        names = "┌┬┐├┼┤└┴┘" if style.unicode else "........."
    elif position.game == "taugo":
        names = " ╷ ╶┼╴ ╵ " if style.unicode else " | -+- | "
    else:
        names = "·········" if style.unicode else "........."
    across = 0 if column == 0 else 2 if column == last else 1
    down = 0 if row == last else 2 if row == 0 else 1
    return names[3 * down + across], Ink.line


def _glyph(cell: int, style: Style) -> str:
    if not style.unicode:
        return _ASCII[cell]
    return (_COLORED if style.color and not style.shapes else _GLYPHS)[cell]


def _paint_row(runs: list[Run], style: Style) -> str:
    if not style.color:
        return "".join(text for text, _ in runs)
    painted, ink = [], ""
    inks = _FEW if style.few else {}
    board = inks.get(Ink.board, Ink.board)
    for text, wanted in runs:
        if wanted != ink and not text.isspace():
            painted.append(f"\x1b[0;{board};{inks.get(wanted, wanted)}m")
            ink = wanted
        elif not ink:
            painted.append(f"\x1b[0;{board}m")
            ink = "board"
        painted.append(text)
    return "".join(painted) + "\x1b[0m"


_POINT = re.compile("([a-z])([1-9][0-9]?)")


def last_action(game: str, size: int, action: str) -> Marks:
    """The marks of the action that was played last."""
    return Marks(dict.fromkeys(points_of(game, size, action), LAST))


def points_of(game: str, size: int, action: str) -> frozenset[int]:
    """The cells that an action names, and those between the ends of a segment of Taugo."""
    ends = [(int(row) - 1, ord(column) - 97) for column, row in _POINT.findall(action)]
    if game == "taugo" and len(ends) == 2:
        (r1, c1), (r2, c2) = ends
        ends = [(r, c) for r in range(r1, r2 + 1) for c in range(c1, c2 + 1)]
    return frozenset(row * size + column for row, column in ends)
