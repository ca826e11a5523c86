"""Boards as text: each drawing as it was looked at, and what must hold for any of them."""

from __future__ import annotations

import re

import pytest

from pierule_games import GAMES
from pierule_games.game import BLACK, BLACK_SHOOTER, SHOOTER, WHITE, WHITE_SHOOTER
from pierule_terminal.drawing import (
    CURSOR,
    LAST,
    PICKED,
    Marks,
    Style,
    board_width,
    cell_at,
    draw_board,
    glyph,
    place_of,
    points_of,
)
from terminal import boards

_ANSI = re.compile("\x1b\\[[0-9;]*m")


@pytest.mark.parametrize("style", boards.STYLES)
@pytest.mark.parametrize("game", boards.GAMES_PLAYED)
def test_drawings_are_as_they_were_looked_at(game: str, style: str) -> None:
    assert boards.draw(game, style) == (boards.FOLDER / f"{game}.{style}.txt").read_text("utf-8")


@pytest.mark.parametrize("game", GAMES)
def test_every_size_fits_a_small_terminal_and_colors_change_no_geometry(game: str) -> None:
    for size in GAMES[game].sizes:
        position = GAMES[game].opening(size)
        plain = draw_board(position, Marks(), Style(color=False))
        assert len(plain) == size + 1 <= 20
        colored = [_ANSI.sub("", line) for line in draw_board(position, Marks(), Style(color=True))]
        assert {len(line) for line in colored} == {board_width(size)}
        assert [line.rstrip() for line in colored] == plain


def test_every_kind_of_cell_has_its_own_glyph_without_color() -> None:
    for style in (Style(), Style(unicode=False), Style(color=True, shapes=True)):
        kinds = (BLACK, WHITE, SHOOTER, BLACK_SHOOTER, WHITE_SHOOTER)
        drawn = {_ANSI.sub("", glyph(kind, style)) for kind in kinds}
        assert len(drawn) == len(kinds)


def test_ascii_is_ascii() -> None:
    marks = Marks({8: LAST, 9: PICKED, 10: CURSOR}, [11])
    for game in GAMES:
        for line in draw_board(GAMES[game].opening(7), marks, Style(unicode=False)):
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


@pytest.mark.parametrize("size", [5, 9, 19])
def test_a_cell_is_found_where_it_is_drawn_and_right_before_that(size: int) -> None:
    position = GAMES["loose"].opening(size)
    for cell in range(size * size):
        x, y = place_of(cell, size)
        lines = draw_board(position, Marks({cell: CURSOR}), Style())
        assert lines[y][x - 1 : x + 2][::2] == "<>"
        assert cell_at(x, y, size) == cell_at(x - 1, y, size) == cell
    assert cell_at(0, 0, size) is None
    assert cell_at(board_width(size) + 1, 0, size) is None
    assert cell_at(5, size, size) is None
