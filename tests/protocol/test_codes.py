"""The table of codes is whole, and nothing outside of it is used."""

from __future__ import annotations

import ast
import re
from enum import Enum
from pathlib import Path

import pytest

import pierule_protocol
import pierule_server
from pierule_protocol.codes import CLOSE_MEANINGS, MEANINGS, Close, Code

SPEC = Path(pierule_protocol.__path__[0]).parent / "SPEC.md"
SOURCES = sorted(Path(next(iter(pierule_server.__path__))).rglob("*.py"))


def used(table: type[Enum]) -> dict[str, Path]:
    """The members of a table that the server names, and a file that does."""
    return {
        node.attr: path
        for path in SOURCES
        if table.__name__ in (text := path.read_text())
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Attribute)
        and isinstance(node.value, ast.Name)
        and node.value.id == table.__name__
    }


def test_every_code_has_a_meaning() -> None:
    assert list(MEANINGS) == list(Code)
    assert list(CLOSE_MEANINGS) == list(Close)


def tables() -> list[list[list[str]]]:
    """The rows of the tables in section 7 of the SPEC, each as its cells."""
    section = SPEC.read_text().partition("\n## 7. ")[2].partition("\n## ")[0]
    found = re.findall(r"^\|-.*\n((?:\|.*\n)+)", section, re.MULTILINE)
    return [
        [[cell.strip() for cell in row.split("|")[1:-1]] for row in part.splitlines()]
        for part in found
    ]


def test_the_spec_lists_every_code() -> None:
    """Also in the same words: whoever reads either reads the truth. What the user is told stands
    in the last column, which the SPEC alone has."""
    codes, closes = tables()
    assert [(code, text.replace("`", ""), retry) for code, text, retry, _ in codes] == [
        (f"`{code}`", meaning.text, "yes" if meaning.retry else "no")
        for code, meaning in MEANINGS.items()
    ]
    assert [row[:4] for row in closes] == [
        [str(int(code)), f"`{code.name.lower()}`", each.text, "yes" if each.reconnect else "no"]
        for code, each in CLOSE_MEANINGS.items()
    ]


@pytest.mark.parametrize("table", [Code, Close])
def test_values_of_codes_are_unique(table: type[Enum]) -> None:
    assert len(list(table)) == len(table.__members__)


@pytest.mark.parametrize("table", [Code, Close])
def test_the_server_uses_only_codes_of_the_table(table: type[Enum]) -> None:
    found = used(table)
    assert found
    assert {name for name in found if name not in table.__members__} == set()


def test_every_code_is_used_by_the_server_or_the_codec() -> None:
    from_the_codec = {"MALFORMED"}
    assert Code.__members__.keys() - used(Code).keys() == from_the_codec


def test_codes_are_words_and_meanings_are_short() -> None:
    for code, meaning in MEANINGS.items():
        assert code.value == code.name.lower()
        assert 0 < len(meaning.text) <= 80


def test_close_reasons_fit_into_a_close_frame() -> None:
    for meaning in CLOSE_MEANINGS.values():
        assert 0 < len(meaning.text.encode()) <= 123


def test_our_close_codes_are_in_the_private_range() -> None:
    """RFC 6455, 7.4; 1012 (service restart) is registered with the IANA."""
    assert all(code <= 1012 or 4000 <= code < 5000 for code in Close)


def test_codes_that_allow_a_retry_are_pinned() -> None:
    assert {code for code in Code if MEANINGS[code].retry} == {
        Code.RATE,
        Code.UNAVAILABLE,
        Code.INTERNAL,
    }
    assert {code for code in Close if CLOSE_MEANINGS[code].reconnect} == {
        Close.GOING_AWAY,
        Close.INTERNAL,
        Close.RESTART,
        Close.SLOW,
        Close.HELLO_TIMEOUT,
    }
