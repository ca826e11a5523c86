"""The lessons of Taugo: one idea each, on the smallest board. Their words are in `texts/`."""

from __future__ import annotations

from pierule_games.description import Choice, Lesson
from pierule_games.lessons import right, step, wrong

_PERIMETER = ("b2", "c2", "d2", "e2", "b3", "e3", "b4", "e4", "b5", "c5", "d5", "e5")
_MIDDLE = ("c3", "d3", "c4", "d4")


_GROW = Lesson(
    name="grow",
    size=6,
    actions="c3 white e5",
    steps={
        "start": step(
            "grow",
            *right("row", "d3-e3", "c4-c5"),
            *wrong("single", "d3", "e3", "c4", "c5"),
        )
    },
)

_PERIMETER_LINE = Lesson(
    name="perimeter",
    size=6,
    actions="b2 black d5 b4 e3",
    steps={
        "start": step(
            "join",
            Choice(action="b3", says="six"),
            *wrong("longer", "b5", "c2"),
            *wrong("inside", "c3", "d3", "c4", "d4"),
        )
    },
)

_KNOT = Lesson(
    name="knot",
    size=6,
    actions="b2 black e5 b3 e4 c2 d5",
    steps={
        "start": step(
            "knot",
            *right("grown", "d2", "b4", "d2-e2", "b4-b5"),
            *wrong("alone", "d3", "c4", "d4"),
        )
    },
)

_CUT_THROUGH = Lesson(
    name="cut",
    size=6,
    actions="e5 white e3 d3 b5 d4-d5 e2 d2",
    steps={
        "start": step(
            "cut",
            *right("done", "b3-d3", "c3-d3"),
            *wrong("single", "c3", "b3"),
        )
    },
)

_ENDS = Lesson(
    name="ends",
    size=6,
    actions="d3 white e2 d4 e3 d5 e4 b2",
    steps={
        "start": step(
            "which",
            *right("middle", "c4-d4", "b4-d4"),
            *wrong("single", "c4", "b4", "d2", "c3", "b3"),
        )
    },
)

_END = Lesson(
    name="end",
    size=6,
    actions="c3 black c2 e2 e5 d5 e3-e4 b5-c5 b4-d4 b3 d2 b2 pass d3-d4",
    steps={
        "start": step(
            "late",
            Choice(action="c5-c6", says="edge", replies=["pass"], next="pass"),
            Choice(action="pass", says="lost", replies=["pass"], good=False),
        ),
        "pass": step("passed", Choice(action="pass", says="won")),
    },
)

_CHOOSE = Lesson(
    name="choose",
    size=6,
    actions="c2",
    steps={"start": step("fair", Choice(action="black", says="black"), *wrong("white", "white"))},
)

_CUT = Lesson(
    name="first",
    size=6,
    steps={
        "start": step(
            "first",
            *(Choice(action=point, says="middle", replies=["white"]) for point in _MIDDLE),
            *(Choice(action=at, says="line", replies=["black"], good=False) for at in _PERIMETER),
        )
    },
)

LESSONS = [_GROW, _PERIMETER_LINE, _KNOT, _CUT_THROUGH, _ENDS, _END, _CHOOSE, _CUT]
