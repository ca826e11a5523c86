"""Citadel: a game for tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pierule_citadel.rules import BLACK_TOWER, ROCK, WHITE_TOWER, Citadel, points
from pierule_games.description import (
    Account,
    BoardDescriptor,
    BoardShape,
    Change,
    Choice,
    Edge,
    Example,
    Lesson,
    Mark,
    Piece,
    Step,
    Sum,
)
from pierule_games.drawing import STONES, name
from pierule_games.game import BLACK, WHITE, Cells
from pierule_games.package import Game
from pierule_games.sight import Sight


def _board(size: int) -> BoardShape:
    every = [name(column, row) for column in range(size) for row in range(size)]
    lower = [point for point in points(size) if point.endswith("1")]
    upper = [point for point in points(size) if point.endswith(str(size))]
    return BoardShape(
        size=size,
        missing=[point for point in every if point not in points(size)],
        edges=[Edge(points=lower, color="white"), Edge(points=upper, color="black")],
        dots=[name(size // 2, size // 2)],
    )


def preview(position: Citadel, picked: Sequence[str]) -> Cells:
    """The rocks and the stone of the set-up, or the stone that is placed."""
    cells = [points(position.size)[point] for point in picked]
    if position.phase == "first":
        return list(zip(cells, (ROCK, ROCK, BLACK), strict=False))
    return [(at, BLACK if position.to_act == position.black else WHITE) for at in cells]


def account(position: Citadel) -> Account:
    """The largest group and the towers of each color."""
    names = {at: point for point, at in points(position.size).items()}
    marks, sums = [], []
    sides: list[tuple[Literal["black", "white"], int, int]] = [
        ("black", BLACK, BLACK_TOWER),
        ("white", WHITE, WHITE_TOWER),
    ]
    for color, stone, tower in sides:
        groups = [position.group(at) for at, cell in enumerate(position.cells) if cell == stone]
        largest = max(groups, key=len, default=set())
        towers = [names[at] for at, cell in enumerate(position.cells) if cell == tower]
        group = [names[at] for at in sorted(largest)]
        marks.append(Mark(kind="group", color=color, points=group, value=len(group)))
        sums.append(Sum(kind="group", color=color, value=len(group)))
        if towers:
            worth = 2 * len(towers)
            marks.append(Mark(kind="tower", color=color, points=towers, value=worth))
            sums.append(Sum(kind="tower", color=color, value=worth, numbers=[len(towers)]))
    return Account(marks=marks, sums=sums)


def worth(position: Citadel) -> int:
    """What the position is worth to Black."""
    black, white = position.score
    return black - white


_LESSON = Lesson(
    name="tower",
    size=5,
    actions="a3,c3/b2 black",
    steps={
        "start": Step(
            says="surround",
            choices=[
                Choice(action="a4", says="beside", replies=["e1"], next="last"),
                Choice(action="e3", says="away", good=False),
            ],
        ),
        "last": Step(says="close", choices=[Choice(action="b3", says="done")]),
    },
)

GAME = Game(
    id="citadel",
    package=__name__,
    rules={1: Citadel},
    phases=["first", "color", "play", "over"],
    descriptor=BoardDescriptor(
        grid="hexagonal",
        surface="cells",
        rows="right",
        boards=[_board(size) for size in Citadel.sizes],
    ),
    pieces=[
        *STONES,
        Piece(cell=ROCK, name="rock", tint="neutral", shape="hexagon", glyph="▲", plain="^"),
        Piece(cell=BLACK_TOWER, name="tower", tint="black", shape="square", glyph="■", plain="B"),
        Piece(cell=WHITE_TOWER, name="tower", tint="white", shape="square", glyph="□", plain="W"),
    ],
    changes=[Change(of=[ROCK], to=[BLACK_TOWER, WHITE_TOWER], motion="claim")],
    sample=Example(size=5, actions="a4,c3/b3 black c2 d3 d2 b4 a5 c4 e1 a3"),
    examples=[Example(size=5, actions="a3,c3/b2 black a4 e1", action="b3", pointed=["a3"])],
    lessons=[_LESSON],
    sight=Sight(worth),
    preview=preview,
    account=account,
)
