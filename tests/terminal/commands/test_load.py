"""`pierule load`: what it refuses before anything is loaded."""

from __future__ import annotations

import argparse

import pytest

from pierule_load.plan import Plan
from pierule_load.tally import Second
from pierule_terminal.commands import load


def run(*words: str) -> int:
    parser = argparse.ArgumentParser()
    load.configure(parser)
    return load.run(parser.parse_args([*words]))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["http://127.0.0.1/ws"], "write ws://HOST:PORT/ws"),
        (["ws://203.0.114.7/ws"], "say so with --i-run-this-server"),
        (["ws://127.0.0.1:1/ws", "ws://203.0.114.7/ws"], "203.0.114.7/ws is neither"),
        (["ws://127.0.0.1:1/ws", "--rate", "max", "--ramp"], "--ramp needs a --rate"),
    ],
)
def test_load_refuses_addresses_that_may_not_be_loaded(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(*words) == 2
    assert said in capsys.readouterr().err


def test_a_server_of_your_own_may_be_anywhere() -> None:
    load.check(Plan(("wss://203.0.114.7/ws",)), own=True)


@pytest.mark.parametrize(
    "words", [["--games", "0"], ["--rate", "0"], ["--seconds", "0"], ["--spectators", "-1"]]
)
def test_impossible_numbers_are_refused(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        run("ws://127.0.0.1:1/ws", *words)
    assert words[0] in capsys.readouterr().err


def test_progress_without_a_terminal_is_a_line_every_ten_seconds(
    capsys: pytest.CaptureFixture[str],
) -> None:
    progress = load.Progress(Plan(("ws://a/ws",), seconds=30), redraw=False)
    for at in range(20):
        progress.show(Second(at, 12, 60, 0.004, None, 0))
    progress.end()
    lines = capsys.readouterr().err.splitlines()
    assert lines == [
        "   9/30 s  12 actions/s, p99 4 ms  60/60 connections",
        "  19/30 s  12 actions/s, p99 4 ms  60/60 connections",
    ]


def test_progress_on_a_terminal_is_one_line_that_is_erased_at_the_end(
    capsys: pytest.CaptureFixture[str],
) -> None:
    progress = load.Progress(Plan(("ws://a/ws",), seconds=30), redraw=True)
    progress.show(Second(0, 0, 5, None, None, 0))
    progress.end()
    assert capsys.readouterr().err == "\r\x1b[Kopening: 5/60 connections\r\x1b[K"
