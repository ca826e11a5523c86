"""Our texts are in plain English: "you" and "they", and no forms that read like a translation.

All documents, the docstrings, comments and texts of server, protocol and Python clients, and the
comments of the page and its library.
"""

from __future__ import annotations

import io
import re
import tokenize
from collections.abc import Iterator

import pytest

from support.repository import ROOT, files

BANNED = re.compile(
    r"\b(?:shall|he|his|him|himself|whereby|thereof|oneself)\b"
    r"|(?<!first )(?<!last )(?<!this )(?<!that )(?<!other )\bone's\b"
    r"|\b(?:who|whom|what|where|when)\s+one\s+"
    r"(?!user|address|connection|node|seat|client|room|of\b|or\b|and\b|to\b)\w+",
    re.IGNORECASE,
)
"""Forms that have a plain one: must, they, your, which, a name."""

WHOLE = (".md", ".lua", ".yaml", ".conf", ".service", "Caddyfile", "Containerfile", "environment")
PYTHON = ("server/", "protocol/", "clients/python/", "clients/examples/")
WEB = (".ts", ".tsx", ".mjs", ".css")
COMMENT = re.compile(r"/\*.*?\*/|(?<![:\w\"'`])//[^\n]*", re.DOTALL)
TEXTS = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}


def texts(name: str) -> Iterator[str]:
    """What people read in a file."""
    text = (ROOT / name).read_text("utf-8")
    if name.endswith(WHOLE):
        yield text
    elif name.endswith(".py") and name.startswith(PYTHON):
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type in TEXTS:
                yield token.string
    elif name.endswith(WEB) and name.startswith("clients/"):
        yield from (re.sub(r"\n\s*\*", "\n", found) for found in COMMENT.findall(text))


def banned_forms(text: str) -> list[str]:
    return [" ".join(found[0].split()) for found in BANNED.finditer(text)]


def test_no_text_reads_like_a_translation() -> None:
    found = {
        name: forms
        for name in files()
        if (forms := [form for text in texts(name) for form in banned_forms(text)])
    }
    assert found == {}


@pytest.mark.parametrize(
    ("text", "forms"),
    [
        ("the one that is missing, which one it is, and the first one's name", []),
        ("The history of this theme: when one or two are there", []),
        ("It shall be\nanother player", ["shall"]),
        ("A player whose game he has left", ["he"]),
        ("users whom one\nmutes", ["whom one mutes"]),
        ("to change one's name oneself", ["one's", "oneself"]),
    ],
)
def test_a_banned_form_is_found(text: str, forms: list[str]) -> None:
    assert banned_forms(text) == forms
