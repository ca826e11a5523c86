"""The lessons of Veletas: one idea each, on the smallest board. Their words are in `texts/`."""

from __future__ import annotations

from pierule_games.description import Choice, Lesson
from pierule_games.lessons import right, step, wrong

_SHOOT = Lesson(
    name="shoot",
    size=7,
    actions="d4/c5 black b2,f2/e6",
    steps={
        "start": step(
            "shoot",
            *right("group", "b5", "c4", "d5"),
            *wrong("diagonal", "b6", "d6", "b4"),
            *wrong("far", "a1", "g1", "g7", "e3", "d7"),
        )
    },
)

_MOVE = Lesson(
    name="move",
    size=7,
    actions="f4/e1 black c3,d2/d3",
    steps={
        "start": step(
            "move", Choice(action="c3-c1/d1", says="shot"), *wrong("other", "c3-c1/b1", "d1")
        )
    },
)

_SIGHT = Lesson(
    name="sight",
    size=7,
    actions="d4/b2 black c5,e3/f6",
    steps={
        "start": step(
            "corner",
            *right("seen", "a7", "g1"),
            *wrong("elsewhere", "d1", "g4", "a4", "d7"),
        )
    },
)

_TRAP = Lesson(
    name="trap",
    size=7,
    actions="f4/e1 black c3,d2/d3 c3-c1/d1 c1-b1/b2 d2-c2/c1 b1-a1/a2",
    steps={
        "start": step("trap", Choice(action="b1", says="claimed"), *wrong("open", "c3", "f1", "d2"))
    },
)

_LARGER = Lesson(
    name="larger",
    size=7,
    actions="b2/a1 black d4,f6/g7 f3 b5 a7 d4-d3/d6 f6-g6/g1 d3-f5/g4 a2 a3 f5-g5/f6 b2-b4/a4 "
    "c4 f5",
    steps={
        "start": step(
            "which",
            Choice(action="f7", says="yours"),
            *wrong("theirs", "f4"),
            *wrong("neither", "b3", "c5"),
        )
    },
)

_END = Lesson(
    name="end",
    size=7,
    actions="f4/a1 white c3,d6/a7 f4-d4/e4 c3-d3/f3 d6-c6/a6 d3-d1/d5 d1-e1/c1 d4-c3/e3 c6-d7/b5 "
    "c3-a3/c3 d7-e6/g4 a3-b4/c4 e6-f6/c6 f6-f7/g6 f7-e7/f7 e7-c7/g3 c7-b7/d7 b4-c5/d6 e1-e2/d2 "
    "e2-d1/c2 d1-e2/f1 e2-d3/d4 c5-b6/c7 d3-e2/d1 e2-g2/e2 g2-f2/g1",
    steps={
        "start": step(
            "second",
            *right("won", "f2-e1/f2", "f2-g2/f2"),
            *wrong("sees", "e1", "g2"),
        )
    },
)

_CUT = Lesson(
    name="cut",
    size=7,
    steps={
        "start": step(
            "cut",
            Choice(action="d4/d5", says="near", replies=["black"]),
            Choice(action="d4/a1", says="corner", replies=["black"]),
            Choice(action="b2/a1", says="aside", replies=["white", "d4,f6/c3"]),
        )
    },
)

_CHOOSE = Lesson(
    name="choose",
    size=7,
    actions="d4/d5",
    steps={
        "start": step(
            "fair",
            Choice(action="black", says="black", replies=["b2,f2/e6"], next="first"),
            Choice(action="white", says="white", next="place"),
        ),
        "first": step(
            "begin",
            *right("begun", "c5", "e5"),
            *wrong("far", "a1", "g1", "a7"),
        ),
        "place": step(
            "place",
            Choice(action="b2,f2/e6", says="placed"),
            Choice(action="b6,f6/d3", says="placed"),
            Choice(action="b2,f6/c4", says="placed"),
        ),
    },
)

LESSONS = [_SHOOT, _MOVE, _SIGHT, _TRAP, _LARGER, _END, _CHOOSE, _CUT]
