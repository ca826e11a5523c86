"""Taugo (Saïd Gadwen, 2023)."""

from __future__ import annotations

from pierule_games.description import (
    BoardDescriptor,
    BoardShape,
    Change,
    Example,
)
from pierule_games.drawing import STONES, lines, name, ring
from pierule_games.package import Game
from pierule_games.symmetry import of_square
from pierule_games.taugo.lessons import LESSONS
from pierule_games.taugo.rules import Taugo
from pierule_games.taugo.shown import account, preview
from pierule_games.taugo.worth import SIGHT


def _board(size: int) -> BoardShape:
    """The board of a size. No line runs along the edge: each edge point is the end of a line, and
    the corners are missing."""
    last, inner = size - 1, range(1, size - 1)
    return BoardShape(
        size=size,
        missing=[name(0, 0), name(last, 0), name(0, last), name(last, last)],
        lines=lines(size, 1),
        strong=[ring(size, 1)],
        dots=[
            point
            for at in inner
            for point in (name(at, 0), name(at, last), name(0, at), name(last, at))
        ],
    )


GAME = Game(
    id="taugo",
    package=__name__,
    rules={1: Taugo},
    phases=["first", "color", "play", "over"],
    descriptor=BoardDescriptor(
        grid="square",
        surface="points",
        boards=[_board(size) for size in Taugo.sizes],
    ),
    pieces=STONES,
    segments=True,
    changes=[Change(of=[1, 2], to=[1, 2], named=True, motion="turn")],
    sample=Example(
        size=6, actions="c3 black c2 d3-e3 d2-e2 e4-e5 b2 b5-d5 e3-e6 e3-f3 b3-b4 c1-c2"
    ),
    examples=[
        Example(size=6, actions="e5 white e3 d3 b5 d4-d5 e2 d2", action="b3-d3"),
    ],
    lessons=LESSONS,
    sight=SIGHT,
    anchors={"random": 450, "one-step": 850, "search": 1500},
    preview=preview,
    account=account,
    symmetries=of_square,
)
"""The game, for the entry-point group `pierule.games`."""
