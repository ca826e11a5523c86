"""The reference games of tests/vectors, as positions and as rooms' logs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_protocol.log.events import EMPTY, Acted, AnyRecord, Created, Entry, Seated
from support.logs import write

VECTORS = Path(__file__).parents[1] / "vectors"


@dataclass(frozen=True)
class Reference:
    """One whole game."""

    name: str
    game: str
    size: int
    actions: tuple[str, ...]

    def positions(self) -> Iterator[Position]:
        """The opening, and the position after every action."""
        position: Position = GAMES[self.game].opening(self.size)
        yield position
        for action in self.actions:
            after = position.play(action)
            assert not isinstance(after, Refusal), f"{self.name}, {action}: {after}"
            position = after
            yield position

    def records(self) -> Iterator[AnyRecord]:
        """The records in the log of a room with this game."""
        yield Created(self.game, self.size, "maker", "Maker", "n0")
        yield Seated(0, "anna", "Anna", "n1")
        yield Seated(1, "bert", "Bert", "n2")
        for position, action in zip(self.positions(), self.actions, strict=False):
            assert position.to_act is not None
            yield Acted(position.to_act, action)

    def log(self) -> list[Entry]:
        return write(EMPTY, *self.records())


@cache
def references() -> tuple[Reference, ...]:
    """All reference games, in the order of the file."""
    lines = (VECTORS / "games.jsonl").read_text().splitlines()
    return tuple(
        Reference(
            f"{vector['game']}-{vector['size']}-{number}",
            vector["game"],
            vector["size"],
            tuple(vector["actions"]),
        )
        for number, vector in enumerate(map(json.loads, lines))
    )


each_reference = pytest.mark.parametrize(
    "reference", references(), ids=[reference.name for reference in references()]
)
