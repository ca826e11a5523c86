"""The ways to turn and mirror a board without changing a game.

The explorer counts positions that differ only in this way as one. Each game's package names its
symmetries (`Game.symmetries`), because they depend on the rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from operator import itemgetter
from typing import TypeAlias

from pierule_games.board import board

Symmetry: TypeAlias = tuple[int, ...]
"""A permutation of cells: the cell with index `i` goes to index `symmetry[i]`."""

_POINT = re.compile(r"(?<![a-z0-9])[a-z][0-9]+")


_WAYS: tuple[Callable[[int, int, int], tuple[int, int]], ...] = (
    lambda row, column, _: (row, column),
    lambda row, column, last: (row, last - column),
    lambda row, column, last: (last - row, column),
    lambda row, column, last: (last - row, last - column),
    lambda row, column, _: (column, row),
    lambda row, column, last: (column, last - row),
    lambda row, column, last: (last - column, row),
    lambda row, column, last: (last - column, last - row),
)


@cache
def of_square(size: int) -> tuple[Symmetry, ...]:
    """The eight symmetries of a square board, the identity first."""
    places = [divmod(cell, size) for cell in range(size * size)]
    moved = ([way(*place, size - 1) for place in places] for way in _WAYS)
    return tuple(tuple(row * size + column for row, column in each) for each in moved)


@cache
def identity(size: int) -> tuple[Symmetry, ...]:
    """The symmetry that every game has."""
    return (tuple(range(size * size)),)


def moved(cells: bytes, symmetry: Symmetry) -> bytes:
    """The cells of a board after a symmetry."""
    return bytes(_taker(symmetry)(cells))


@cache
def _taker(symmetry: Symmetry) -> Callable[[bytes], tuple[int, ...]]:
    """A function that returns the cells in their order after the symmetry."""
    return itemgetter(*inverse(symmetry))


def inverse(symmetry: Symmetry) -> Symmetry:
    """The symmetry that undoes another."""
    found = [0] * len(symmetry)
    for cell, to in enumerate(symmetry):
        found[to] = cell
    return tuple(found)


def moved_action(action: str, size: int, symmetry: Symmetry, *, segments: bool) -> str:
    """An action after a symmetry, in its only legal spelling: points between commas are in order,
    and so are the ends of a segment."""
    plan = board(size)

    def point(name: str) -> str:
        return plan.names[symmetry[plan.index[name]]]

    parts = []
    for part in action.split("/"):
        if not _POINT.search(part):
            parts.append(part)
            continue
        names = [_POINT.sub(lambda match: point(match[0]), each) for each in part.split(",")]
        if segments:
            names = ["-".join(in_order(name.split("-"))) for name in names]
        parts.append(",".join(in_order(names)))
    return "/".join(parts)


def in_order(names: Sequence[str]) -> list[str]:
    """Names of points, sorted by column, then by row."""
    return sorted(names, key=lambda name: (name[0], int(re.findall("[0-9]+", name)[0])))
