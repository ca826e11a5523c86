"""A file is short enough to be read at once, and a function to be seen at once."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PRODUCT = ("server", "clients/python", "protocol")
FILE = 400
FUNCTION = 40


def lines(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """How many lines it has, without what it says of itself."""
    first = function.body[0]
    said = 0
    if ast.get_docstring(function) is not None:
        said = (first.end_lineno or first.lineno) - first.lineno + 1
    return (function.end_lineno or function.lineno) - function.lineno + 1 - said


def too_long(source: str) -> Iterator[str]:
    """What is too long in a file."""
    if source.count("\n") > FILE:
        yield "the file"
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and lines(node) >= FUNCTION:
            yield node.name


@pytest.mark.parametrize("part", PRODUCT)
def test_files_and_functions_are_short(part: str) -> None:
    files = [path for path in (ROOT / part).rglob("*.py") if "node_modules" not in path.parts]
    assert len(files) > 20
    found = {str(path.relative_to(ROOT)): [*too_long(path.read_text())] for path in files}
    assert {path: names for path, names in found.items() if names} == {}


def test_a_long_file_and_a_long_function_are_found() -> None:
    body = "    pass\n" * (FUNCTION - 2)
    assert [*too_long(f"def short():\n{body}")] == []
    assert [*too_long(f"def long():\n{body}    pass\n")] == ["long"]
    told = '    """\n' + "    Told.\n" * FUNCTION + '    """\n'
    assert [*too_long(f"def short():\n{told}{body}")] == []
    assert [*too_long("pass\n" * (FILE + 1))] == ["the file"]
