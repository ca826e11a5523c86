"""Boards as text: each drawing as it was looked at, and what must hold for any of them."""

from __future__ import annotations

import re

import pytest

from cli import boards
from pierule.terminal.drawing import Style, board_width, draw_board, glyph, points_of
from pierule_rules import GAMES
from pierule_rules.game import BLACK, BLACK_SHOOTER, SHOOTER, WHITE, WHITE_SHOOTER

_ANSI = re.compile("\x1b\\[[0-9;]*m")


@pytest.mark.parametrize("style", boards.STYLES)
@pytest.mark.parametrize("game", boards.GAMES_PLAYED)
def test_drawings_are_as_they_were_looked_at(game: str, style: str) -> None:
    assert boards.draw(game, style) == (boards.FOLDER / f"{game}.{style}.txt").read_text("utf-8")


@pytest.mark.parametrize("game", GAMES)
def test_every_size_fits_a_small_terminal_and_colors_change_no_geometry(game: str) -> None:
    for size in GAMES[game].sizes:
        position = GAMES[game].opening(size)
        plain = draw_board(position, (), Style(color=False))
        assert len(plain) == size + 1 <= 20
        colored = [_ANSI.sub("", line) for line in draw_board(position, (), Style(color=True))]
        assert {len(line) for line in colored} == {board_width(size)}
        assert [line.rstrip() for line in colored] == plain


def test_every_kind_of_cell_has_its_own_glyph_without_color() -> None:
    for unicode in (True, False):
        kinds = (BLACK, WHITE, SHOOTER, BLACK_SHOOTER, WHITE_SHOOTER)
        assert len({glyph(kind, Style(unicode=unicode)) for kind in kinds}) == len(kinds)


def test_ascii_is_ascii() -> None:
    for game in GAMES:
        for line in draw_board(GAMES[game].opening(7), (8,), Style(unicode=False)):
            assert line.isascii()


@pytest.mark.parametrize(
    ("game", "action", "named"),
    [
        ("loose", "komi:12", ""),
        ("loose", "black", ""),
        ("loose", "pass", ""),
        ("loose", "c3", "c3"),
        ("veletas", "c4,e7/d5", "c4 e7 d5"),
        ("veletas", "c4-c7/e5", "c4 c7 e5"),
        ("veletas", "e5", "e5"),
        ("taugo", "c3-c6", "c3 c4 c5 c6"),
        ("taugo", "b2-d2", "b2 c2 d2"),
    ],
)
def test_points_of_an_action(game: str, action: str, named: str) -> None:
    cells = {(int(name[1:]) - 1) * 7 + ord(name[0]) - 97 for name in named.split()}
    assert points_of(game, 7, action) == cells
