"""Loose (Luis Bolaños Mures, 2012)."""

from __future__ import annotations

from pierule_games.description import (
    BoardDescriptor,
    BoardShape,
    Change,
    Example,
)
from pierule_games.drawing import STONES, lines, stars
from pierule_games.loose.lessons import LESSONS
from pierule_games.loose.rules import Loose
from pierule_games.loose.shown import account, preview
from pierule_games.loose.worth import SIGHT
from pierule_games.package import Game
from pierule_games.symmetry import of_square

GAME = Game(
    id="loose",
    package=__name__,
    rules={1: Loose},
    phases=["komi", "color", "play", "over"],
    descriptor=BoardDescriptor(
        grid="square",
        surface="points",
        boards=[BoardShape(size=size, lines=lines(size), dots=stars(size)) for size in Loose.sizes],
    ),
    pieces=STONES,
    changes=[Change(of=[1, 2], to=[1, 2], motion="turn")],
    sample=Example(size=5, actions="komi:2 black b3 b4 d4 d2 e2 b2 c1 d5 b5 e3 a2 d1"),
    examples=[
        Example(size=5, actions="komi:12 black b1 a1", action="a2"),
        Example(size=5, actions="komi:12 black a2 b2 c3 b1", pointed=["a1"]),
    ],
    lessons=LESSONS,
    sight=SIGHT,
    anchors={"random": 150, "one-step": 900, "search": 1500},
    preview=preview,
    account=account,
    symmetries=of_square,
)
"""The game, for the entry-point group `pierule.games`."""
