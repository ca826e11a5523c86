"""One name per thing: words that the glossary has replaced do not come back as names."""

from __future__ import annotations

import re

from support.repository import ARCHITECTURE, ROOT, files

CODE = (".py", ".ts", ".tsx", ".lua", ".mjs")
PRODUCT = ("server/", "protocol/", "clients/")


def replaced() -> set[str]:
    """The names in the glossary's third column: those in code font are no names any more."""
    glossary = ARCHITECTURE.split("## Glossary")[1].split("\n## ")[0]
    rows = [row.split("|") for row in glossary.splitlines() if row.startswith("| ")]
    return {name for row in rows for name in re.findall(r"`(\w+)`", row[3])}


def test_replaced_names_do_not_come_back() -> None:
    names = replaced()
    assert len(names) > 10
    word = re.compile(rf"(?<!\w)(?:{'|'.join(sorted(names))})(?!\w)")
    found = {
        name: sorted(set(hits))
        for name in files()
        if name.startswith(PRODUCT) and name.endswith(CODE)
        and (hits := word.findall((ROOT / name).read_text()))
    }  # fmt: skip
    assert found == {}
