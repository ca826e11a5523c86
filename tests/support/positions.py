"""Positions in tests: drawn, played, and taken apart."""

from __future__ import annotations

from dataclasses import fields
from typing import TypeVar

from pierule_games.game import Fields, Position

P = TypeVar("P", bound=Position)


def fields_of(position: Position) -> Fields:
    """The fields of a position, as `restore` takes them."""
    return Fields(**{each.name: getattr(position, each.name) for each in fields(Fields)})


def cells_of_drawing(text: str, marks: str) -> tuple[int, bytes]:
    """Size and cells of a drawing, top row first; `marks` are the cell values in order."""
    rows = text.split()[::-1]
    return len(rows), bytes(marks.index(mark) for row in rows for mark in row)


def drawn(position: Position, marks: str) -> str:
    """The drawing of a position, its rows with spaces between."""
    letters = [marks[value] for value in position.cells]
    rows = [letters[i : i + position.size] for i in range(0, len(letters), position.size)]
    return " ".join("".join(row) for row in reversed(rows))


def played(position: P, *actions: str) -> P:
    """The position after actions that are all legal."""
    for action in actions:
        after = position.play(action)
        assert isinstance(after, type(position)), f"{action}: {after}"
        position = after
    return position
