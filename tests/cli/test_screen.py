"""Output around a line being typed."""

from __future__ import annotations

import os
import shutil

import pytest

from pierule.terminal.drawing import Style
from pierule.terminal.screen import Screen


def test_a_tick_changes_only_the_prompt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(shutil, "get_terminal_size", lambda: os.terminal_size((20, 24)))
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
