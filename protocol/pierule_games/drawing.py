"""Parts of board descriptors: lines, star points and rings as names of points, and stones."""

from __future__ import annotations

from collections.abc import Sequence

from pierule_games.description import Piece

STONES = [
    Piece(cell=1, name="stone", tint="black", shape="disc", glyph="●", plain="X"),
    Piece(cell=2, name="stone", tint="white", shape="disc", glyph="○", plain="O"),
]
"""Black and white stones, as most games have them."""


def name(column: int, row: int) -> str:
    """The name of the point at a column and row, both counted from 0: (0, 0) is `a1`."""
    return f"{chr(97 + column)}{row + 1}"


def lines(size: int, first: int = 0) -> list[list[str]]:
    """The rows and columns of a square board, each from side to side, without the outermost `first`
    on each side."""
    last = size - 1
    middle = range(first, size - first)
    rows = [[name(0, at), name(last, at)] for at in middle]
    columns = [[name(at, 0), name(at, last)] for at in middle]
    return rows + columns


def stars(size: int) -> list[str]:
    """The star points of a square board of odd size: the middle, above size 7 those near the
    corners, and above size 13 those between them."""
    low = 2 if size < 13 else 3
    middle, high = size // 2, size - 1 - low
    corners = [name(x, y) for x in (low, high) for y in (low, high)] if size > 7 else []
    between = [(low, middle), (middle, low), (high, middle), (middle, high)] if size > 13 else []
    return [*corners, *(name(x, y) for x, y in between), name(middle, middle)]


def ring(size: int, inset: int = 0) -> list[str]:
    """The corners of the ring that lies `inset` points inside a square board; the first corner
    comes again at the end."""
    low, high = inset, size - 1 - inset
    corners: Sequence[tuple[int, int]] = (
        (low, low), (high, low), (high, high), (low, high), (low, low),
    )  # fmt: skip
    return [name(*corner) for corner in corners]
