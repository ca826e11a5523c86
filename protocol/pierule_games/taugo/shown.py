"""What clients see of a position of Taugo besides its cells."""

from __future__ import annotations

from collections.abc import Sequence

from pierule_games.board import indices
from pierule_games.description import Account, Color, Mark, Sum
from pierule_games.game import BLACK, WHITE, Cells
from pierule_games.taugo.geometry import lines
from pierule_games.taugo.rules import Taugo


def preview(position: Taugo, points: Sequence[str]) -> Cells:
    """The first stone, a single stone, or all stones of a segment."""
    stone = BLACK if position.black is None or position.to_act == position.black else WHITE
    ends = sorted(lines(position.size).index[point] for point in points)
    if len(ends) < 2:
        return [(end, stone) for end in ends]
    first, last = ends
    step = position.size if first % position.size == last % position.size else 1
    return [(at, stone) for at in range(first, last + 1, step)]


def account(position: Taugo) -> Account:
    """Each string's stones on the perimeter line, and all stones on edge points together."""
    black, white = _of(position, "black", 0), _of(position, "white", 1)
    return Account(marks=black.marks + white.marks, sums=black.sums + white.sums)


def _of(position: Taugo, color: Color, side: int) -> Account:
    plan = lines(position.size)
    lengths = [string & plan.perimeter for string in position.strings[side]]
    marks = [
        Mark(
            kind="string",
            color=color,
            points=[plan.names[i] for i in indices(points)],
            value=_sum_to(points.bit_count()),
        )
        for points in lengths
        if points
    ]
    strings = sum(mark.value or 0 for mark in marks)
    sums = [Sum(kind="strings", color=color, value=strings, numbers=[len(marks)])]
    edge = position.stones[side] & plan.edges
    if edge:
        count = edge.bit_count()
        named = [plan.names[i] for i in indices(edge)]
        marks.append(Mark(kind="edge", color=color, points=named, value=_sum_to(count)))
        sums.append(Sum(kind="edge", color=color, value=_sum_to(count), numbers=[count]))
    return Account(marks=marks, sums=sums)


def _sum_to(count: int) -> int:
    return count * (count + 1) // 2
