"""The settings that refusals are about: in the server's own words, and as the server calls them."""

from __future__ import annotations

import argparse
import re

import pytest

from pierule_load.hints import _BY_WORDS, LIFTED, hint
from pierule_protocol.codes import MEANINGS, Code
from pierule_server.flags import configure
from pierule_server.gateway import request_queue
from support.repository import ROOT


def test_every_named_setting_exists() -> None:
    parser = argparse.ArgumentParser()
    configure(parser)
    named = re.findall(r"--[a-z-]+", " ".join([LIFTED, *(flags for _, flags in _BY_WORDS)]))
    assert {*named} <= {*parser._option_string_actions}


@pytest.mark.parametrize("words", [each for each, _ in _BY_WORDS if not each.startswith("HTTP")])
def test_the_server_uses_the_texts_of_the_hints(words: str) -> None:
    said = "".join(path.read_text() for path in (ROOT / "server").rglob("*.py"))
    said += "".join(meaning.text for meaning in MEANINGS.values())
    assert words in said


def test_each_kind_of_rate_names_its_own_settings() -> None:
    assert {spent: hint(words) for spent, words in request_queue._WHY.items()} == {
        None: "--connection-rate 0 --user-rate 0",
        "address": "--address-budget 0",
        "user": "--user-budget 0",
        "games": "--address-budget 0",
    }


def test_errors_without_a_setting_have_no_hint() -> None:
    assert hint(MEANINGS[Code.ILLEGAL].text) is None
