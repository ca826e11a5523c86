"""The manual page tells of everything that the program can do."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest

from pierule_terminal.cli import build_parser, find_commands
from support.manual import manual


def told(parser: argparse.ArgumentParser) -> Iterator[str]:
    """The options and commands of a parser, and of its commands."""
    for action in parser._actions:
        if action.help != argparse.SUPPRESS and "--help" not in action.option_strings:
            yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):
            for one in action.choices.values():
                yield one.prog
                yield from told(one)


def test_the_manual_has_every_command_and_option(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIERULE_SERVER", "wss://mine.example.org/ws")
    page = manual()
    text = page.replace("\\", "")
    names = set(told(build_parser(find_commands(), whole=True)))
    assert {"pierule watch", "pierule admin rooms close", "--json"} <= names
    assert [name for name in names if name not in text] == []
    assert "pierule watch kobadimutelosa --follow" in text, "the examples are in it"
    assert "mine.example.org" not in text, "what is set here is nobody else's default"
    assert page.startswith('.TH PIERULE "1"')
