"""Which bots a node runs; that it does run them, `e2e/test_bots.py` sees."""

from __future__ import annotations

import argparse
import asyncio
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import structlog
from structlog.testing import capture_logs

from pierule_bots.player import LEVELS
from pierule_protocol.house_bots import NAMES, level_of
from pierule_server import command
from pierule_server.identity.tokens import Keys
from pierule_server.operations import child_processes
from pierule_server.operations.bot_processes import Owner, house_bots, levels_of


def test_levels_are_those_that_the_program_knows() -> None:
    assert tuple(NAMES) == LEVELS


def test_a_setting_names_levels_once_each() -> None:
    assert levels_of("") == []
    assert levels_of("search, random,search,") == ["search", "random"]


@pytest.fixture
def logs_as_before() -> Iterator[None]:
    """The command sets up the logs of its process, which here is that of all tests."""
    yield
    structlog.reset_defaults()


@pytest.mark.usefixtures("logs_as_before")
def test_an_unknown_level_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    command.configure(parser)
    assert command.run(parser.parse_args(["--bots", "search,best"])) == 2
    assert "--bots takes random, one-step, search, not 'best'" in capsys.readouterr().err


def owner(folder: Path, port: int = 8000, secret: str = "s" * 32) -> Owner:
    return Owner("ws://127.0.0.1:8000/ws", Keys({"k": secret}), folder, port)


def test_a_bot_is_the_same_user_in_each_of_its_lives(tmp_path: Path) -> None:
    """Whatever keys sign it; and no other node's, nor that of another level."""
    bot = owner(tmp_path).bot("search")
    assert owner(tmp_path, secret="t" * 32).bot("search") == bot
    others = [
        owner(tmp_path).bot("random"),
        owner(tmp_path, 8001).bot("search"),
        owner(tmp_path / "x").bot("search"),
    ]
    assert len({each.id for each in (bot, *others)}) == 4
    assert all(each.bot and each.house for each in (bot, *others))
    assert [level_of(each.id) for each in (bot, *others)] == [
        "search",
        "random",
        "search",
        "search",
    ]


def test_a_bot_is_told_who_it_is_and_none_of_our_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PIERULE_KEYS", "k:" + "s" * 32)
    mine = owner(tmp_path)
    environment = mine.child("search").environment()
    assert [name for name in environment if name.startswith("PIERULE_")] == ["PIERULE_TOKEN"]
    assert mine.keys.check(environment["PIERULE_TOKEN"]) == mine.bot("search")
    arguments = mine.child("search").arguments
    assert arguments[arguments.index("--name") + 1] == mine.bot("search").name


async def test_a_bot_that_keeps_crashing_is_started_ever_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And what it said is in the log."""
    program = tmp_path / "crashes"
    program.write_text("#!/bin/sh\necho it fell over >&2\nexit 3\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(program))
    monkeypatch.setattr(child_processes, "SHORTEST_PAUSE", 0.01)
    monkeypatch.setattr(child_processes, "LONGEST_PAUSE", 0.08)
    with capture_logs() as logged:
        async with house_bots(["search"], owner(tmp_path)), asyncio.timeout(60):
            while len(ended := [each for each in logged if "status" in each]) < 6:  # noqa: ASYNC110
                await asyncio.sleep(0.01)
    assert [each["in_s"] for each in ended[:6]] == [0.01, 0.02, 0.04, 0.08, 0.08, 0.08]
    assert [each["ended_in_a_row"] for each in ended[:6]] == [1, 2, 3, 4, 5, 6]
    assert {each["status"] for each in ended} == {3}
    said = [each["text"] for each in logged if each["event"] == "a house bot says"]
    assert set(said) == {"it fell over"}
