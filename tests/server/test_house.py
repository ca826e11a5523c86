"""Which bots a node runs; that it does run them, `e2e/test_bots.py` sees."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

import pytest
import structlog

from pierule.bots.player import LEVELS as PLAYED
from pierule_server import command
from pierule_server.house import LEVELS, levels_of


def test_levels_are_those_that_the_program_knows() -> None:
    assert LEVELS == PLAYED


def test_a_setting_names_levels_once_each() -> None:
    assert levels_of("") == []
    assert levels_of("search, random,search,") == ["search", "random"]


@pytest.fixture
def logs_as_before() -> Iterator[None]:
    """The command sets up the logs of its process, which here is that of all tests."""
    yield
    structlog.reset_defaults()


@pytest.mark.usefixtures("logs_as_before")
def test_another_level_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    command.configure(parser)
    assert command.run(parser.parse_args(["--bots", "search,best"])) == 2
    assert "--bots takes random, one-step, search, not 'best'" in capsys.readouterr().err
