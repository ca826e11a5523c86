"""The figures kept in the repository: in a folder, and as a generated part of this folder's
README."""

from __future__ import annotations

from pathlib import Path

from bench.machine import HERE

FOLDER = HERE / "last"
README = HERE / "README.md"
BEGIN = "<!-- Written by `make bench ARGS=--keep`. -->"
END = "<!-- So far. -->"


def keep(page: str, readme: Path = README) -> None:
    """Put the page of a run between the marks in the README. Raises ValueError if a mark is
    missing."""
    before, begin, rest = readme.read_text().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        raise ValueError(f"{readme.name} has no place for figures: {BEGIN} … {END}")
    picture = f"![Ratios and costs]({FOLDER.name}/bench.svg)"
    readme.write_text(f"{before}{begin}\n\n{picture}\n\n{page}\n{end}{after}")
