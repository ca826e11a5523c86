"""Looking at pictures: what color is seen at a point of a board."""

from __future__ import annotations

import io

from PIL import Image

from pierule_archive.previews.layout import Layout
from pierule_games.package import Game

Color = tuple[int, int, int]

BOARD = (40, 40, 550)
"""Where the board of a whole picture begins, and how long its sides are."""


def opened(png: bytes) -> Image.Image:
    """A PNG, decoded."""
    return Image.open(io.BytesIO(png)).convert("RGB")


def seen(
    picture: Image.Image, game: Game, size: int, point: str,
    off: tuple[float, float] = (0, 0), board: tuple[int, int, int] = BOARD,
) -> Color:  # fmt: skip
    """The color at a point of the board, or beside its middle by so much of a cell."""
    left, top, side = board
    layout = Layout(game.descriptor, size)
    low_x, low_y, high_x, high_y = layout.frame
    unit = side / max(high_x - low_x, high_y - low_y)
    (x, y) = layout.spots([point])[0]
    at = (
        left + side / 2 + (x + off[0] - (low_x + high_x) / 2) * unit,
        top + side / 2 + (y + off[1] - (low_y + high_y) / 2) * unit,
    )
    found = picture.getpixel((round(at[0]), round(at[1])))
    assert isinstance(found, tuple)
    return found[0], found[1], found[2]


def near(color: Color, wanted: str) -> bool:
    """Whether a color is nearly `#rrggbb`."""
    parts = (int(wanted[at : at + 2], 16) for at in (1, 3, 5))
    return all(abs(one - other) <= 12 for one, other in zip(color, parts, strict=True))
