"""Which bots a node runs; that it does run them, `e2e/test_bots.py` sees."""

from __future__ import annotations

import argparse

import pytest

from pierule.bots.player import LEVELS as PLAYED
from pierule_server import command
from pierule_server.house import LEVELS, levels_of


def test_levels_are_those_that_the_program_knows() -> None:
    assert LEVELS == PLAYED


def test_a_setting_names_levels_once_each() -> None:
    assert levels_of("") == []
    assert levels_of("search, random,search,") == ["search", "random"]


def test_another_level_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    parser = argparse.ArgumentParser()
    command.configure(parser)
    assert command.run(parser.parse_args(["--bots", "search,best"])) == 2
    assert "--bots takes random, one-step, search, not 'best'" in capsys.readouterr().err
