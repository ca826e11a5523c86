"""The commands on a terminal: they take it whole, and give it back however they end."""

from __future__ import annotations

import signal
import sys
from argparse import Namespace

import pytest

from pierule_terminal.commands import online
from pierule_terminal.screen import Screen
from pierule_terminal.style import Style
from support.laptop import Laptop, Program
from support.serving import Serving

TAKEN, GIVEN_BACK = "\x1b[?1049h", "\x1b[?1049l"


@pytest.fixture
def whole(laptop: Laptop) -> Laptop:
    """A laptop whose user wants no plain lines."""
    del laptop.env["PIERULE_PLAIN"]
    return laptop


def _room(laptop: Laptop) -> str:
    status, said = laptop.run("new", "loose", "--size", "5")
    assert status == 0
    return said.splitlines()[0]


def _ended(program: Program, status: int) -> None:
    program.expect(GIVEN_BACK)
    assert program.end() == status


def test_quitting_or_stopping_restores_the_terminal(whole: Laptop, server: Serving) -> None:
    room = _room(whole)
    player = whole.start("play", room, tty=True)
    player.expect(TAKEN)
    player.expect("waiting for a player in seat 1")
    watcher = whole.start("watch", room, tty=True)
    watcher.expect("waiting for a player in seat 1")
    player.type("q")
    player.expect(f"You keep your seat. To go on: pierule play {room}")
    assert GIVEN_BACK in player.said
    assert player.end() == 0
    watcher.type("\x03")
    _ended(watcher, 130)
    again = whole.start("play", room, tty=True)
    again.expect("waiting for a player in seat 1")
    again.process.send_signal(signal.SIGTERM)
    _ended(again, 143)


def test_the_result_stays_on_the_terminal_after_the_end(whole: Laptop, server: Serving) -> None:
    room = _room(whole)
    first = whole.start("play", room, tty=True)
    first.expect("waiting for a player in seat 1")
    second = whole.start("play", room, tty=True)
    first.expect("komi:0")
    second.expect("is to act")
    first.type("RR")
    second.expect("resigned")
    for program in (first, second):
        program.type("q")
        program.expect(GIVEN_BACK)
        program.expect("result: ")
        assert program.end() == 0


def test_from_the_lobby_to_a_room_and_back(whole: Laptop, server: Serving) -> None:
    lobby = whole.start("lobby", "--name", "Ada", tty=True)
    lobby.expect(TAKEN)
    lobby.expect("as Ada; connected")
    lobby.type("n")
    lobby.expect("who may join")
    lobby.type("\x13")
    lobby.expect("waiting for a player in seat 1")
    lobby.expect("Others join from the lobby, or with: pierule play ")
    lobby.type("q")
    lobby.expect("Your games")
    lobby.type("\r")
    lobby.expect("Others join from the lobby")
    lobby.type("X")
    lobby.expect("abort once more")
    lobby.type("X")
    lobby.expect("aborted: nobody loses")
    lobby.type("q")
    lobby.expect(": aborted: nobody loses")
    second = whole.start("lobby", tty=True)
    second.expect("; connected")
    third = whole.start("lobby", tty=True)
    third.expect("you are already in the lobby twice; use --profile NAME for another user")
    assert third.end() == 1
    second.type("\x03")
    _ended(second, 130)
    lobby.type("q")
    _ended(lobby, 0)


def test_plain_lines_are_used_on_request_or_without_a_terminal(
    whole: Laptop, server: Serving
) -> None:
    room = _room(whole)
    for term, options in (("dumb", ()), ("xterm-256color", ("--plain",))):
        whole.env["TERM"] = term
        player = whole.start("play", room, *options, tty=True)
        player.expect(f"room {room}")
        player.type("quit\n")
        player.expect("You keep your seat")
        assert player.end() == 0
        assert TAKEN not in player.said
    whole.env["PIERULE_PLAIN"] = "1"
    watcher = whole.start("watch", room, tty=True)
    watcher.expect(f"room {room}")
    watcher.type("\x03")
    assert watcher.end() == 130
    assert TAKEN not in watcher.said


def test_without_textual_the_error_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(online, "is_interactive", lambda: True)
    args = Namespace(plain=False)
    screen = Screen(Style())
    assert online.takes_terminal(args, screen)
    assert not online.takes_terminal(args, Screen(Style(unicode=False)))
    monkeypatch.setitem(sys.modules, "textual", None)
    assert not online.takes_terminal(args, screen)
    assert "pip install 'pierule[tui]'" in capsys.readouterr().err
