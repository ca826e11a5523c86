"""The picture of a preview: a board, and beside it the game, its players and the result."""

from __future__ import annotations

import io
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal, TypeAlias

from PIL import Image, ImageDraw, ImageFont

from pierule_archive.previews.board import (
    BLACK,
    FINER,
    PAPER,
    RIM,
    WHITE,
    Scene,
    draw_board,
)

WIDTH, HEIGHT = 1200, 630
"""The size that social networks ask for; at half of it, the picture must still be legible."""

Stone: TypeAlias = Literal["black", "white"] | None

_INK, _SOFT, _ACCENT = "#181d23", "#555e69", "#0b6b62"
_MARGIN, _BOARD = 40, 550
_TEXT = _MARGIN + _BOARD + 50
_TITLES = (74, 62, 52, 44)
_ROOM = WIDTH - _TEXT - _MARGIN

_PLAIN = str.maketrans({
    "\N{MULTIPLICATION SIGN}": "x", "\N{EN DASH}": "-", "\N{EM DASH}": "-",
    "\N{MINUS SIGN}": "-", "\N{LATIN SMALL LETTER DOTLESS I}": "i", "\N{NO-BREAK SPACE}": " ",
    "ß": "ss", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "æ": "ae", "Æ": "AE", "đ": "d", "Đ": "D",
})  # fmt: skip
"""Characters that the font lacks, and their substitutes."""


@dataclass(frozen=True, slots=True)
class Line:
    """A player: the color, the name and the score, as far as they are known."""

    name: str
    stone: Stone = None
    score: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """What a picture shows. `end` comes last, in bold: the result. Equal pictures give equal
    bytes."""

    scene: Scene | None
    title: str
    note: str = ""
    lines: tuple[Line, ...] = ()
    end: str = ""

    def png(self) -> bytes:
        """The picture as a PNG. It takes a tenth of a second or two: too long for the event
        loop."""
        image = Image.new("RGB", (WIDTH, HEIGHT), PAPER)
        if self.scene is not None:
            image.paste(draw_board(self.scene, _BOARD, _BOARD), (_MARGIN, _MARGIN))
        else:
            _sign(image, _MARGIN + 85, _MARGIN + 85, 380)
        self._write(image)
        buffer = io.BytesIO()
        image.save(buffer, "PNG", compress_level=6)
        return buffer.getvalue()

    def _write(self, image: Image.Image) -> None:
        draw = ImageDraw.Draw(image)
        y = _MARGIN + 24
        size = next(
            (size for size in (74, 62, 52) if _font(size).getlength(self.title) < _ROOM), 44
        )
        y = _written(draw, y, self.title, size, _INK, bold=True)
        if self.note:
            y = _written(draw, y + 2, self.note, 36, _SOFT)
        y += 40
        for line in self.lines:
            y = _player(image, y, line)
        if self.end:
            _written(draw, y + 22, self.end, 40, _ACCENT, bold=True, most=2)
        _mark(image, _TEXT, HEIGHT - _MARGIN - 50)


def legible(text: str, instead: str = "?") -> str:
    """A text in characters that the font has; `instead` if most of it would be lost."""
    spelled = unicodedata.normalize("NFKD", text.translate(_PLAIN))
    kept = [each for each in spelled if not unicodedata.combining(each)]
    shown = "".join(each if _has(each) else "?" for each in kept if each.isprintable())
    lost = shown.count("?") - text.count("?")
    return shown if shown.strip() and 2 * lost <= len(shown) else instead


def _player(image: Image.Image, y: int, line: Line) -> int:
    """Draw a player's line. Returns where the next line begins."""
    draw, font, left = ImageDraw.Draw(image), _font(46), _TEXT
    if line.stone:
        fill, rim = (BLACK, BLACK) if line.stone == "black" else (WHITE, RIM)
        icon, fine = _icon(42)
        fine.circle((63, 63), 61, fill, rim, 8)
        image.paste(icon.reduce(FINER), (left, y + 9))
        left += 60
    right = int(font.getlength(line.score)) + 24 if line.score else 0
    draw.text((left, y), _fitting(line.name, font, _TEXT + _ROOM - left - right), _INK, font)
    if line.score:
        draw.text((_TEXT + _ROOM - right + 24, y), line.score, _INK, font)
    return y + 70


def _written(
    draw: ImageDraw.ImageDraw, y: int, text: str, size: int, color: str, *, bold: bool = False,
    most: int = 1,
) -> int:  # fmt: skip
    """Write a text in at most this many lines. Returns where the next text may begin."""
    font = _font(size)
    for line in _broken(text, font, most):
        draw.text((_TEXT, y), line, color, font, stroke_width=size / 45 if bold else 0)
        y += round(size * 1.25)
    return y


def _broken(text: str, font: ImageFont.FreeTypeFont, most: int) -> Sequence[str]:
    """The lines of a text; the last one is cut if there is more."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if len(lines) < most and lines[-1] and font.getlength(longer) > _ROOM:
            lines.append(word)
        else:
            lines[-1] = longer
    return [_fitting(line, font, _ROOM) for line in lines]


def _fitting(text: str, font: ImageFont.FreeTypeFont, width: float) -> str:
    """As much of a text as fits."""
    if font.getlength(text) <= width:
        return text
    while text and font.getlength(f"{text}…") > width:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _mark(image: Image.Image, x: int, y: int) -> None:
    """The sign of Pierule and its name."""
    _sign(image, x, y, 54)
    ImageDraw.Draw(image).text((x + 66, y + 6), "Pierule", _SOFT, _font(36))


def _sign(image: Image.Image, x: int, y: int, size: int) -> None:
    """The sign of Pierule: a pie that was cut."""
    icon, fine = _icon(size)
    apart, whole = size * FINER // 11, size * FINER - 1
    fine.pieslice([0, apart, whole - apart, whole], 0, 270, _INK)
    fine.pieslice([apart, 0, whole, whole - apart], 270, 360, _ACCENT)
    image.paste(icon.reduce(FINER), (x, y))


def _icon(size: int) -> tuple[Image.Image, ImageDraw.ImageDraw]:
    """A small picture and the object that draws in it, larger than it will be."""
    image = Image.new("RGB", (size * FINER, size * FINER), PAPER)
    return image, ImageDraw.Draw(image)


@cache
def _font(size: int) -> ImageFont.FreeTypeFont:
    """The scalable font that comes with Pillow."""
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont), "Pillow was built without FreeType"
    return font


@lru_cache(4096)
def _has(character: str) -> bool:
    """Whether the font has a character: all characters that it lacks look alike."""
    font = _font(24)
    return character == " " or bytes(font.getmask(character)) != bytes(font.getmask("\uffff"))
