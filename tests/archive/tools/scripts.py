"""Archives with some of everything, and what is in their tables."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any, Literal, TypeAlias

from hypothesis import strategies as st
from sqlalchemy import delete, select, update

from archive.games import START, a_game, renewed
from pierule_archive.archive import Archive, UnknownGame
from pierule_archive.database import writing
from pierule_archive.game import Game
from pierule_archive.schema import feed, games, metadata
from pierule_archive.tools.progress import Progress

MONTH = 31 * 86_400_000
PLAYERS = ("ada", "bob", "cleo", "dan")

Step: TypeAlias = tuple[Literal["add", "renew", "void", "forget"], int]

steps = st.lists(
    st.tuples(st.sampled_from(["add", "add", "add", "renew", "void", "forget"]), st.integers(0, 9)),
    max_size=14,
)
"""What happens to an archive."""

WHOLE: Sequence[Step] = [
    *(("add", number) for number in range(9)),
    ("renew", 3), ("renew", 2), ("void", 1), ("void", 2), ("forget", 1), ("add", 9),
]  # fmt: skip
"""Some of everything."""


@cache
def game(number: int) -> Game:
    """One of ten games: of three kinds of rooms, two games, and three months."""
    return a_game(
        f"room{number}", seed=number, plies=3 + number % 3,
        game="loose" if number % 4 else "taugo", size=5 if number % 4 else 9,
        access=("public", "unlisted", "private")[number % 3],
        players=(PLAYERS[number % 4], PLAYERS[(number + 1) % 4]),
        at=START + number % 5 // 2 * MONTH,
    )  # fmt: skip


def play(archive: Archive, script: Sequence[Step]) -> None:
    """Have it happen."""
    for what, number in script:
        match what:
            case "add":
                archive.add([game(number)])
            case "renew":
                archive.add([renewed(game(number))])
            case "forget":
                archive.forget(PLAYERS[number % 4])
            case "void":
                try:
                    archive.void(f"room{number}", START, "cheating")
                except UnknownGame:
                    continue


def tables(archive: Archive) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of every table."""
    with archive.engine.connect() as connection:
        return {
            table.name: sorted(map(tuple, connection.execute(select(table))), key=repr)
            for table in metadata.sorted_tables
        }


def empty(archive: Archive) -> None:
    """Forget everything."""
    with writing(archive.engine) as connection:
        connection.execute(update(games), {"superseded_by": None})
        for table in reversed(metadata.sorted_tables):
            if table is not feed:
                connection.execute(delete(table))
        connection.execute(update(feed), {"last": 0})


class Interrupted(Exception):
    """Somebody pulled the plug."""


class Fragile(Progress):
    """Is interrupted after so many lines."""

    def __init__(self, lines: int) -> None:
        super().__init__("test")
        self._left = lines

    def counting(self, several: Any) -> Any:
        for each in super().counting(several):
            if not self._left:
                raise Interrupted
            self._left -= 1
            yield each


def quiet() -> Progress:
    return Progress("test")
