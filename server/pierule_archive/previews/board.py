"""Draws a board as the page does in its light appearance (SPEC 26.5, 26.6, 26.8), from a game's
descriptor and nothing else."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from PIL import Image, ImageDraw

from pierule_archive.previews.layout import Layout, Spot, pointed
from pierule_games.description import Piece
from pierule_games.package import Game

FINER = 3
"""A board is drawn this many times larger than its picture, so that slants and circles are
smooth."""

PAPER, PLATE, RULE, STRONG = "#f5f4f0", "#e7e4da", "#98938a", "#4d4a43"
BLACK, WHITE, RIM = "#171a1e", "#ffffff", "#41464d"
NEUTRAL, NEUTRAL_RIM, OWNED, OWNED_RIM = "#c2410c", "#7c2d12", "#a8a294", "#6e695e"
SHADES = ("#dcd8cb", "#f4f2ea", "#ccc6b5")
"""The colors of the page, `clients/web/src/styles/board.css`."""

_SHAPES: dict[str, Sequence[Spot]] = {
    "star": ((0, -0.45), (0.13, -0.13), (0.45, 0), (0.13, 0.13),
             (0, 0.45), (-0.13, 0.13), (-0.45, 0), (-0.13, -0.13)),
    "square": ((-0.35, -0.35), (0.35, -0.35), (0.35, 0.35), (-0.35, 0.35)),
    "diamond": ((0, -0.46), (0.46, 0), (0, 0.46), (-0.46, 0)),
    "triangle": ((0, -0.44), (0.42, 0.3), (-0.42, 0.3)),
    "cross": ((-0.15, -0.43), (0.15, -0.43), (0.15, -0.15), (0.43, -0.15), (0.43, 0.15),
              (0.15, 0.15), (0.15, 0.43), (-0.15, 0.43), (-0.15, 0.15), (-0.43, 0.15),
              (-0.43, -0.15), (-0.15, -0.15)),
    "hexagon": ((0, -0.44), (0.38, -0.22), (0.38, 0.22), (0, 0.44), (-0.38, 0.22), (-0.38, -0.22)),
}  # fmt: skip
"""Outlines by shape; any other shape is a disc."""


@dataclass(frozen=True, slots=True)
class Scene:
    """What stands on the board of a game; `last` is the action that led there, if any."""

    game: Game
    size: int
    cells: bytes
    last: str | None = None


def draw_board(scene: Scene, width: int, height: int) -> Image.Image:
    """The board, as large as it fits, in the middle of a picture of this size."""
    picture = Image.new("RGB", (width * FINER, height * FINER), PAPER)
    _Board(scene, picture).draw()
    return picture.reduce(FINER)


class _Board:
    def __init__(self, scene: Scene, picture: Image.Image) -> None:
        self._scene = scene
        self._layout = Layout(scene.game.descriptor, scene.size)
        self._draw = ImageDraw.Draw(picture)
        left, top, right, bottom = self._layout.frame
        self._unit = min(picture.width / (right - left), picture.height / (bottom - top))
        self._left = picture.width / 2 - (left + right) / 2 * self._unit
        self._top = picture.height / 2 - (top + bottom) / 2 * self._unit

    def draw(self) -> None:
        self._ground()
        kinds = {piece.cell: piece for piece in self._scene.game.pieces}
        for index in self._layout.points:
            cell = self._scene.cells[index]
            if cell:
                self._piece(self._layout.spot(index), kinds.get(cell))
        action = self._scene.last or ""
        segments = self._scene.game.segments
        for index in pointed(action, self._layout, segments=segments):
            self._mark(self._layout.spot(index), kinds.get(self._scene.cells[index]))

    def _ground(self) -> None:
        layout, shape = self._layout, self._layout.shape
        left, top, right, bottom = layout.frame
        corners = [self._on((left, top)), self._on((right, bottom))]
        radius = (0.025 * layout.size + 0.1) * self._unit
        self._draw.rounded_rectangle([*corners[0], *corners[1]], radius, PLATE)
        if layout.board.surface == "cells":
            for index in layout.points:
                self._polygon(layout.spot(index), layout.outline, SHADES[layout.shade(index)])
        for lines, color, width in ((shape.lines, RULE, 0.035), (shape.strong, STRONG, 0.08)):
            for names in lines:
                self._line(layout.spots(names), color, width)
        for spot in layout.spots(shape.dots):
            self._circle(spot, 0.09, RULE)
        for edge in shape.edges:
            for index in layout.indices(edge.points):
                for side in layout.outside(index):
                    self._line(side, BLACK if edge.color == "black" else WHITE, 0.11)

    def _piece(self, spot: Spot, kind: Piece | None) -> None:
        fill, rim, width = _colors(kind)
        shape = kind.shape if kind else "disc"
        if shape in _SHAPES:
            self._polygon(spot, _SHAPES[shape], fill, rim, width)
        else:
            self._circle(spot, 0.43, fill, rim, width)
        if shape == "ring":
            self._circle(spot, 0.2, PLATE, rim, width)
        if kind and kind.owner:
            self._circle(spot, 0.24, *_stone(kind.owner), 0.045)
        elif shape == "star":
            self._circle(spot, 0.09, "#fff7ed")

    def _mark(self, spot: Spot, kind: Piece | None) -> None:
        """Mark the last action, in a color that stands out from the piece."""
        if kind is None:
            self._circle(spot, 0.1, NEUTRAL)
        elif kind.tint == "neutral":
            self._circle(spot, 0.47, None, NEUTRAL_RIM, 0.05)
        else:
            self._circle(spot, 0.15, None, WHITE if kind.tint == "black" else BLACK, 0.07)

    def _on(self, spot: Spot) -> Spot:
        return self._left + spot[0] * self._unit, self._top + spot[1] * self._unit

    def _line(self, spots: Sequence[Spot], color: str, width: float) -> None:
        """A line with round ends and joints."""
        self._draw.line([self._on(spot) for spot in spots], color, self._wide(width), "curve")
        for spot in spots:
            self._circle(spot, width / 2, color)

    def _polygon(
        self, middle: Spot, corners: Sequence[Spot], fill: str, rim: str | None = None,
        width: float = 0,
    ) -> None:  # fmt: skip
        spots = [(middle[0] + x, middle[1] + y) for x, y in corners]
        self._draw.polygon([self._on(spot) for spot in spots], fill)
        if rim:
            self._line([*spots, spots[0]], rim, width)

    def _circle(
        self, middle: Spot, radius: float, fill: str | None, rim: str | None = None,
        width: float = 0,
    ) -> None:  # fmt: skip
        """A circle; as in SVG, half of its rim lies outside."""
        (x, y), far = self._on(middle), (radius + width / 2) * self._unit
        wide = self._wide(width) if rim else 0
        self._draw.ellipse([x - far, y - far, x + far, y + far], fill, rim, wide)

    def _wide(self, width: float) -> int:
        return max(1, math.ceil(width * self._unit))


def _colors(kind: Piece | None) -> tuple[str, str, float]:
    """The fill and the rim of a piece, and the rim's width."""
    if kind and kind.tint in ("black", "white"):
        return (*_stone(kind.tint), 0.035 if kind.tint == "black" else 0.05)
    return (OWNED, OWNED_RIM, 0.03) if kind and kind.owner else (NEUTRAL, NEUTRAL_RIM, 0.03)


def _stone(color: str) -> tuple[str, str]:
    return (BLACK, BLACK) if color == "black" else (WHITE, RIM)
