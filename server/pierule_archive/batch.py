"""What nodes hand to a writer, and what it gives them. Imports no database, so that nodes without
an archive need none."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from dataclasses import dataclass

from pierule_archive.game import Game
from pierule_protocol.log.record import RoomRecord


class ArchiveAway(Exception):
    """The database could not be asked or did not do it; a write may have happened. A `lasting`
    trouble does not go away by itself."""

    def __init__(self, text: str, *, lasting: bool = False) -> None:
        super().__init__(text)
        self.lasting = lasting


class Unkeepable(Exception):
    """The database refuses what it was given; nothing of that was written."""


@dataclass(frozen=True, slots=True)
class Void:
    """Operators have voided the result of a room's game."""

    room: str
    at: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """What is written together: games in order, then voids of these or of earlier games, then the
    players whose names are to be forgotten."""

    games: Sequence[Game] = ()
    voids: Sequence[Void] = ()
    forgotten: Sequence[str] = ()

    def __bool__(self) -> bool:
        return bool(self.games or self.voids or self.forgotten)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptGame:
    """A game of the archive. `record` makes its record, in steps of an event; it raises ValueError
    or CorruptLog for a damaged log, and UnknownGame. `void` is why operators have voided the
    result."""

    feed: int
    room: str
    access: str
    void: str | None
    record: Generator[None, None, RoomRecord]
