"""Whole pictures: their size, what is written on them, and names in every script."""

from __future__ import annotations

import pytest

from archive.previews.drawn import near, opened
from pierule_archive.previews.picture import HEIGHT, WIDTH, Line, Picture, legible


def test_a_picture_is_as_large_as_networks_ask_for() -> None:
    png = Picture(None, "A game", "9 x 9", (Line("Ada", "black", "12"), Line("Bob")), "Over").png()
    assert (opened(png).size, opened(png).format) == ((WIDTH, HEIGHT), None)
    assert png.startswith(b"\x89PNG\r\n")
    assert len(png) < 150_000


def test_players_have_stones_of_their_colors() -> None:
    picture = Picture(None, "A game", lines=(Line("Ada", "white"), Line("Bob", "black")))
    drawn = opened(picture.png())
    column = [drawn.getpixel((661, y)) for y in range(200, 400)]
    colors = [color for color in column if isinstance(color, tuple)]
    assert any(near((one[0], one[1], one[2]), "#ffffff") for one in colors)
    assert any(near((one[0], one[1], one[2]), "#171a1e") for one in colors)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ada", "Ada"),
        ("Zoë Łukasz Ñandú", "Zoe Lukasz Nandu"),
        ("10 \N{MULTIPLICATION SIGN} 10", "10 x 10"),
        ("한국어", "Player 2"),
        ("😀", "Player 2"),
        ("Ada 한", "Ada ???"),
        ("what?", "what?"),
        ("\u202e\u200b\x00", "Player 2"),
        ("", "Player 2"),
    ],
)  # fmt: skip
def test_characters_that_the_font_lacks_are_replaced(name: str, shown: str) -> None:
    assert legible(name, "Player 2") == shown


@pytest.mark.parametrize(
    "text", ["", "W" * 500, "word " * 99, "\n\t", "مرحبا", "\u0301" * 64, "😀" * 24]
)
def test_any_text_gives_a_picture(text: str) -> None:
    picture = Picture(None, text, text, (Line(text, "black", text[:9]), Line(text)), text)
    assert opened(picture.png()).size == (WIDTH, HEIGHT)


def test_equal_pictures_give_equal_bytes() -> None:
    one, other = (Picture(None, "A game", lines=(Line("Ada"),)) for _ in range(2))
    assert (one, one.png()) == (other, other.png())
