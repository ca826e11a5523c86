"""Boards as text: each drawing as it was looked at, and what must hold for any of them."""

from __future__ import annotations

import re
from typing import Literal

import msgspec
import pytest

from pierule_games import GAMES
from pierule_games.description import BoardDescriptor, BoardShape, Grid, Piece
from pierule_protocol.games.writing import document
from pierule_terminal.document import Document
from pierule_terminal.drawing import (
    CURSOR,
    LAST,
    PICKED,
    Marks,
    draw_board,
    glyph,
    legend,
    points_of,
)
from pierule_terminal.plan import Plan
from pierule_terminal.style import Style
from support import packages
from support.documents import document_of
from terminal import boards

_ANSI = re.compile("\x1b\\[[0-9;]*m")


@pytest.fixture
def hexagons() -> Document:
    """The document of a game on hexagons, which is not installed here."""
    return Document(document(packages.citadel()))


@pytest.mark.parametrize("style", boards.STYLES)
@pytest.mark.parametrize("game", boards.GAMES_PLAYED)
def test_drawings_match_the_reviewed_ones(game: str, style: str) -> None:
    assert boards.draw(game, style) == (boards.FOLDER / f"{game}.{style}.txt").read_text("utf-8")


def test_hexagons_lie_between_those_of_the_next_row(hexagons: Document) -> None:
    cells = [0] * 25
    cells[12], cells[6], cells[16] = 6, 1, 8
    drawn = draw_board(hexagons, 5, cells, Marks({12: LAST, 13: CURSOR}, [7]), Style())
    assert drawn == [
        "    · · · 5",
        "   · □ · · 4",
        "  · ·[▲<·>· 3",
        " a ● x · · 2",
        "  b · · · 1",
        "   c d e",
    ]
    assert legend(hexagons, cells, Style(), 40) == ["▲ rock  □ white tower"]


def test_the_cursor_goes_around_what_does_not_exist(hexagons: Document) -> None:
    plan = hexagons.plan(5)
    assert plan.middle == 12
    assert plan.toward(14, 0, 1) == 18, "e3 has no e4 above it, but d4"
    assert plan.toward(2, 0, -1) == 2
    assert plan.toward(3, -1, 0) == 2
    assert plan.toward(2, -1, 0) == 2
    reached, waiting = {12}, [12]
    for cell in waiting:
        for step in ((0, 1), (0, -1), (1, 0), (-1, 0)):
            to = plan.toward(cell, *step)
            waiting += {to} - reached
            reached.add(to)
    assert reached == set(plan.points)


@pytest.mark.parametrize("game", GAMES)
def test_every_size_fits_a_small_terminal_and_colors_change_no_geometry(game: str) -> None:
    for size in GAMES[game].sizes:
        of, cells = document_of(game), [0] * size**2
        plain = draw_board(of, size, cells, Marks(), Style(color=False))
        assert len(plain) == size + 1 <= 20
        colored = [
            _ANSI.sub("", line) for line in draw_board(of, size, cells, Marks(), Style(color=True))
        ]
        assert {len(line) for line in colored} == {of.plan(size).width}
        assert [line.rstrip() for line in colored] == plain


@pytest.mark.parametrize("game", GAMES)
def test_every_kind_of_cell_has_its_own_glyph_without_color(game: str) -> None:
    of = document_of(game)
    for style in (Style(), Style(unicode=False), Style(color=True, shapes=True)):
        drawn = {_ANSI.sub("", glyph(of, piece.cell, style)) for piece in of.data.pieces}
        assert len(drawn) == len(of.data.pieces)


def test_pieces_that_look_alike_in_color_keep_their_own_glyphs() -> None:
    data = document_of("loose").data
    third = Piece(cell=3, name="stone", tint="white", shape="disc", glyph="◍", plain="Q")
    of = Document(msgspec.structs.replace(data, pieces=[*data.pieces, third]))
    drawn = [_ANSI.sub("", glyph(of, cell, Style(color=True))) for cell in (1, 2, 3)]
    assert drawn == [" ● ", " ● ", " ◍ "]


def test_ascii_boards_contain_only_ascii() -> None:
    marks = Marks({8: LAST, 9: PICKED, 10: CURSOR}, [11])
    for game in GAMES:
        for line in draw_board(document_of(game), 7, [0] * 49, marks, Style(unicode=False)):
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
def test_an_action_names_its_points(game: str, action: str, named: str) -> None:
    cells = {(int(name[1:]) - 1) * 8 + ord(name[0]) - 97 for name in named.split()}
    assert points_of(document_of(game), 8, action) == cells


@pytest.mark.parametrize("size", [5, 9, 19])
def test_a_click_on_a_cell_or_just_before_it_finds_the_cell(size: int) -> None:
    of = document_of("loose")
    plan = of.plan(size)
    for cell, (x, y) in plan.points.items():
        lines = draw_board(of, size, [0] * size**2, Marks({cell: CURSOR}), Style())
        assert lines[y][x - 1 : x + 2][::2] == "<>"
        assert plan.cell_at(x, y) == plan.cell_at(x - 1, y) == cell
    assert plan.cell_at(0, 0) is None
    assert plan.cell_at(plan.width + 1, 0) is None
    assert plan.cell_at(5, size) is None


@pytest.mark.parametrize("columns", ["below", "above"])
@pytest.mark.parametrize("rows", ["left", "right"])
@pytest.mark.parametrize("grid", ["square", "hexagonal"])
def test_coordinates_and_points_never_stand_in_each_others_way(
    grid: Grid, rows: Literal["left", "right"], columns: Literal["below", "above"]
) -> None:
    descriptor = BoardDescriptor(
        grid=grid, surface="cells", rows=rows, columns=columns, boards=[BoardShape(size=11)]
    )
    plan = Plan(descriptor, descriptor.boards[0])
    assert len(plan.points) == 121
    assert len(plan.labels) == 22
    taken = [spot for x, y in plan.points.values() for spot in ((x - 1, y), (x, y))]
    taken += [(x + at, y) for x, y, text in plan.labels for at in range(len(text))]
    assert len(taken) == len(set(taken))
    assert all(0 <= x < plan.width and 0 <= y < plan.height for x, y in taken)


def test_a_faulty_document_is_drawn_without_control_characters() -> None:
    """A stranger's server: a size without a board, lines that lead nowhere, a piece that nobody
    knows, and characters that would move the cursor."""
    data = document_of("loose").data
    shape = BoardShape(size=5, missing=["z9"], lines=[["a1", "b3"], ["z1", "q"], ["c3"], []])
    wild = [Piece(cell=1, name="\x1b[2J", tint="black", shape="?", glyph="\x1b", plain="棋")]
    texts = {"en": msgspec.structs.replace(data.texts["en"], pieces=["\x1b]0;owned\x07"])}
    board = msgspec.structs.replace(data.board, boards=[shape])
    of = Document(msgspec.structs.replace(data, board=board, pieces=wild, texts=texts))
    for size, style in ((5, Style()), (7, Style()), (5, Style(unicode=False))):
        cells = [0, 1, 61, *[0] * (size**2 - 3)]
        for line in (*draw_board(of, size, cells, Marks(), style), *legend(of, cells, style, 40)):
            assert line.isprintable()
    assert of.named(1) == "?]0;owned?"
