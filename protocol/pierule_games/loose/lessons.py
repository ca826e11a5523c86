"""The lessons of Loose: one idea each, on the smallest board. Their words are in `texts/`."""

from __future__ import annotations

from pierule_games.description import Choice, Lesson
from pierule_games.lessons import right, step, wrong

_PLACE = Lesson(
    name="place",
    size=5,
    actions="komi:6 black c3 e5",
    steps={
        "start": step(
            "place",
            *right("group", "c4", "b3", "d3", "c2"),
            *wrong("diagonal", "b4", "d4", "b2", "d2"),
        )
    },
)

_FLIP = Lesson(
    name="flip",
    size=5,
    actions="komi:6 black b1 a1",
    steps={
        "start": step(
            "take",
            Choice(action="a2", says="taken", replies=["e5", "d4", "d5", "c5", "a5"], next="two"),
            *wrong("away", "c3", "b2", "d2"),
        ),
        "two": step("two", *right("both", "e4", "e3"), *wrong("open", "d3", "c4")),
    },
)

_FALSE = Lesson(
    name="false",
    size=5,
    actions="komi:6 black b1 a1 b2 d4",
    steps={
        "start": step(
            "last",
            Choice(action="a3", says="false"),
            *wrong("filled", "a2"),
            *wrong("true", "b3", "c1", "c3"),
        )
    },
)

_FORBIDDEN = Lesson(
    name="forbidden",
    size=5,
    actions="komi:6 black e3 e4 d4 d5 c5 a2 c2 b1",
    steps={
        "start": step("corners", Choice(action="e5", says="flips"), *wrong("beside", "b2", "c3"))
    },
)

_END = Lesson(
    name="end",
    size=5,
    actions="komi:6 black e1 e4 c1 a3 a2 a5 d4 c5 e3 b3 d5 b2 d1 a4 b1 b4 c4 c3 e5 a1 d3 e2 c2",
    steps={
        "start": step(
            "late",
            Choice(action="d2", says="all", replies=["pass"], next="pass"),
            Choice(action="pass", says="asleep", replies=["b5"], good=False),
        ),
        "pass": step("passed", Choice(action="pass", says="won")),
    },
)

_CHOOSE = Lesson(
    name="choose",
    size=5,
    actions="komi:24",
    steps={"start": step("fair", Choice(action="white", says="white"), *wrong("black", "black"))},
)

_CUT = Lesson(
    name="cut",
    size=5,
    steps={
        "start": step(
            "cut",
            Choice(action="komi:0", says="none", replies=["black"], good=False),
            Choice(action="komi:6", says="even", replies=["white"]),
            Choice(action="komi:20", says="much", replies=["white"], good=False),
        )
    },
)

LESSONS = [_PLACE, _FLIP, _FALSE, _FORBIDDEN, _END, _CHOOSE, _CUT]
