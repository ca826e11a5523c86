"""What nodes pass to a writer, and what they get from it. It imports no database, so nodes without
an archive need none."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from pierule_archive.game import Game
from pierule_protocol.log.record import RoomRecord


class ArchiveAway(Exception):
    """The database is away, or did not do what it was asked. A write may have happened. A `lasting`
    trouble needs an operator."""

    def __init__(self, text: str, *, lasting: bool = False) -> None:
        super().__init__(text)
        self.lasting = lasting


class Unkeepable(Exception):
    """The database refuses a batch, and has written nothing of it."""


@dataclass(frozen=True, slots=True)
class Void:
    """Operators have voided the result of a room's game."""

    room: str
    at: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What to write together: games in order, then voids of these or earlier games, then the
    players whose names to delete."""

    games: Sequence[Game] = ()
    voids: Sequence[Void] = ()
    forgotten: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.games or self.voids or self.forgotten)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptGame:
    """A game from the archive. `record` makes its record, in steps of an event. It raises
    ValueError or CorruptLog for a damaged log, and UnknownGame. `void` is why operators voided the
    result; None if they did not."""

    feed: int
    room: str
    access: str
    void: str | None
    record: Generator[None, None, RoomRecord]
