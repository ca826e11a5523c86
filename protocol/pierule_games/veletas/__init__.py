"""Veletas (Luis Bolaños Mures, 2013)."""

from __future__ import annotations

from pierule_games.description import (
    BoardDescriptor,
    BoardShape,
    Change,
    Example,
    Piece,
)
from pierule_games.drawing import STONES
from pierule_games.package import Game
from pierule_games.symmetry import of_square
from pierule_games.veletas.lessons import LESSONS
from pierule_games.veletas.rules import Veletas
from pierule_games.veletas.shown import account, preview
from pierule_games.veletas.worth import SIGHT

_PIECES = [
    *STONES,
    Piece(cell=3, name="shooter", tint="neutral", shape="star", glyph="▲", plain="*"),
    Piece(
        cell=4, name="claimed", tint="neutral", shape="star", owner="black", glyph="■", plain="B"
    ),
    Piece(
        cell=5, name="claimed", tint="neutral", shape="star", owner="white", glyph="□", plain="W"
    ),
]

GAME = Game(
    id="veletas",
    package=__name__,
    rules={1: Veletas},
    phases=["first", "color", "second", "play", "over"],
    descriptor=BoardDescriptor(
        grid="square",
        surface="cells",
        boards=[BoardShape(size=size) for size in Veletas.sizes],
    ),
    pieces=_PIECES,
    changes=[Change(of=[0, 3], to=[4, 5], motion="claim")],
    sample=Example(
        size=7,
        actions="b4/a6 white d5,f4/e1 f4-d4/f6 b4-b2/b7 d5-g5/g6 g5-b5/d3 b5-b6/d6 d4-a7/c5 "
        "b2-b4/f4 b4-c4/b5 c4-c2/b2 c2-e2/c2 f1",
    ),
    examples=[Example(size=7, actions="f4/a1 white c3,d6/a7", action="f4-d4/e4")],
    lessons=LESSONS,
    sight=SIGHT,
    anchors={"random": 100, "one-step": 900, "search": 1500},
    preview=preview,
    account=account,
    symmetries=of_square,
)
"""The game, for the entry-point group `pierule.games`."""
