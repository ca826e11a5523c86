"""Product code outside of a game's folder names no game: what it does for one it does for all."""

from __future__ import annotations

import ast
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from pierule_games import GAMES

ROOT = Path(__file__).parents[1]
COMMENT = re.compile(r"/\*.*?\*/|(?<![:\"'`\w])//[^\n]*", re.DOTALL)
"""In TypeScript and CSS: all of the others is identifiers, strings, and what is between them."""
NAMES = re.compile(rf"(?i)(?<![a-z])(?:{'|'.join(GAMES)})(?![a-z])")

SECTIONS = {"clients/python/pierule_conform/checks/games.py"}
"""What holds a server to sections 11 to 13 of the SPEC, which are about games."""

SCRIPTED = {
    "clients/python/pierule_conform/scenarios.py",
    *(
        f"clients/python/pierule_conform/checks/{name}.py"
        for name in ("acting", "limits", "malformed", "agreements")
    ),
    "clients/python/pierule_conform/server.py",
}
"""Examples that the conformance kits play, which is lines of actions of games that all know."""


def words(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """Identifiers and strings with their lines, but for docstrings."""
    told = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        match node:
            case ast.Constant(value=str(text)) if id(node) not in told:
                yield line, text
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield line, name.replace("_", " ")
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.alias(name=name):
                yield line, name.replace("_", " ")
            case ast.ImportFrom(module=str(module)):
                yield line, module


def sources() -> Iterator[tuple[str, str]]:
    """The product's code in Python outside of the games' folders: names and texts."""
    rules = tuple(str(ROOT / "protocol/pierule_games" / game) + os.sep for game in GAMES)
    for folder in ("server", "protocol", "clients/python"):
        for path in (ROOT / folder).rglob("*.py"):
            if not str(path).startswith(rules):
                yield str(path.relative_to(ROOT)), path.read_text("utf-8")


def of_the_page() -> Iterator[tuple[str, str]]:
    """The page's sources: names and texts."""
    web = ROOT / "clients/web"
    for path in (web / "index.html", *(web / "src").rglob("*"), *(web / "client/src").rglob("*")):
        if path.suffix in (".ts", ".tsx", ".css", ".html"):
            yield str(path.relative_to(ROOT)), path.read_text("utf-8")


def test_the_check_finds_names_in_product_code() -> None:
    assert len(list(sources())) > 200
    tree = ast.parse("from pierule_games.loose import GAME\nx = 'play veletas'\nTaugo.opening(6)")
    assert len([text for _, text in words(tree) if NAMES.search(text)]) == 3


def code(text: str) -> str:
    """A source of the page without its comments, in as many lines."""
    return COMMENT.sub(lambda found: "\n" * found[0].count("\n"), text)


def test_the_check_finds_names_in_code_of_the_page() -> None:
    assert len(list(of_the_page())) > 90
    told = code('// loose\n/* veletas\n */ const loose = ["#/rules/taugo", "ws://a"]; // taugo\n')
    assert told == '\n\n const loose = ["#/rules/taugo", "ws://a"]; \n'
    assert len(NAMES.findall(told)) == 2


def test_the_page_names_no_game() -> None:
    named = {
        (name, at, line)
        for name, text in of_the_page()
        for at, line in enumerate(code(text).splitlines(), 1)
        if NAMES.search(line)
    }
    assert named == set()


def test_product_code_names_no_game() -> None:
    named = {
        (name, line, word)
        for name, text in sources()
        if name not in SECTIONS | SCRIPTED
        for line, word in words(ast.parse(text))
        if NAMES.search(word)
    }
    assert named == set()


@pytest.mark.parametrize("name", sorted(SECTIONS | SCRIPTED))
def test_every_exception_is_needed(name: str) -> None:
    found = words(ast.parse((ROOT / name).read_text("utf-8")))
    assert any(NAMES.search(text) for _, text in found)
