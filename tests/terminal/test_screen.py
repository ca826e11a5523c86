"""Output around a line being typed."""

from __future__ import annotations

import os
import shutil
import sys

import pytest

from pierule_terminal.drawing import LAST, Marks, draw_board
from pierule_terminal.screen import Screen, style_of
from pierule_terminal.style import Style
from support.documents import document_of
from support.games import game


@pytest.mark.parametrize(
    ("environ", "few"),
    [
        ({"TERM": "xterm-256color"}, False),
        ({"TERM": "xterm-kitty"}, False),
        ({"TERM": "foot", "COLORTERM": "truecolor"}, False),
        ({"TERM": "linux"}, True),
        ({"TERM": "xterm-16color"}, True),
        ({}, True),
    ],
)
def test_terminals_of_few_colors_get_no_others(environ: dict[str, str], few: bool) -> None:
    style = style_of(sys.stdout, "always", environ)
    assert style.few == few
    for name in ("loose", "veletas", "taugo"):
        of = game(name, {"loose": 5, "veletas": 7, "taugo": 6}[name])
        cells = of.positions[8].cells
        lines = draw_board(document_of(name), of.size, cells, Marks({7: LAST}, {8}), style)
        drawn = "".join(lines)
        assert ("48;5;" in drawn) != few
        assert ("38;5;" in drawn) != few


def test_a_tick_changes_only_the_prompt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    # Pytest asks too, with an argument.
    monkeypatch.setattr(shutil, "get_terminal_size", lambda *_, **__: os.terminal_size((20, 24)))
    live = Screen(Style(color=False), live=True)
    live.prompt("white 0:10> ", "c3")
    capsys.readouterr()
    live.tick("white 9.3> ")
    assert capsys.readouterr().out == "\r\x1b[Kwhite 9.3> c3"
    live.tick("white 9.3> ")
    assert capsys.readouterr().out == "", "nothing has changed"
    live.prompt("white 9.3> ", "komi:12 b")
    capsys.readouterr()
    live.tick("white 8.3> ")
    assert capsys.readouterr().out == "", "the line is as wide as the terminal"


def test_a_screen_that_is_not_live_shows_no_ticks(capsys: pytest.CaptureFixture[str]) -> None:
    Screen(Style(color=False)).tick("white 9.3> ")
    assert capsys.readouterr().out == ""
