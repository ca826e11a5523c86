"""The players of the benchmark, and when and how they play: there are many, and a few of them play
most."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from random import Random

import msgspec

from bench.archive.played import Line, entries
from pierule_archive.game import Category, Game, created_hash
from pierule_protocol.log.controls import Byoyomi, ClockOptions, Correspondence, Fischer
from pierule_protocol.log.events import Access, Created, Holder, encode_record

START = 1_640_995_200_000
SPAN = 4 * 365 * 24 * 3_600_000
GROWTH = 0.6
"""The games are from four years, from 2022 on, in milliseconds. Every month has more of them."""

EACH = 25
SKEW = 0.8
"""The mean number of games of a player; the busiest has 2 % of a million."""

CLOCKS: list[tuple[ClockOptions | None, Category]] = [
    (None, "none"),
    (Fischer(main=1_800, increment=5), "live"),
    (Byoyomi(main=1_800, periods=5, period=30), "live"),
    (Correspondence(days=3), "correspondence"),
]
CLOCK_SHARES = 20, 50, 20, 10
ACCESSES: list[Access] = ["public", "unlisted", "private"]
ACCESS_SHARES = 90, 6, 4
REMATCHES = 0.1
BOTS = 9
"""One player in so many is a bot."""

_LETTERS = "bdfghjklmnprstvz"
_json = msgspec.json.Encoder()


@dataclass(frozen=True)
class Crowd:
    """Games of many players, made from the played lines. The same seed gives the same games."""

    lines: list[Line]
    count: int
    seed: int

    @cached_property
    def players(self) -> int:
        """How many there are: those with the lowest numbers play most."""
        return self.count // EACH + 20

    def games(self) -> Iterator[Game]:
        """All games, in the order of their ends."""
        rng = Random(self.seed)
        before = None
        for number in range(self.count):
            line = rng.choice(self.lines)
            ended = START + int(SPAN * ((number + 1) / self.count) ** GROWTH)
            game = self._game(rng, line, room_of(number, line), ended, before)
            before = game.room if rng.random() < REMATCHES else None
            yield game

    def _game(self, rng: Random, line: Line, room: str, ended: int, before: str | None) -> Game:
        clock, category = rng.choices(CLOCKS, CLOCK_SHARES)[0]
        access = rng.choices(ACCESSES, ACCESS_SHARES)[0]
        first, second = self._pair(rng)
        seated = Holder(id_of(first), "", is_bot(first)), Holder(id_of(second), "", is_bot(second))
        created = Created(
            line.game.game, line.game.size, id_of(first), "", f"n{room}", players=seated,
            clock=clock, access=access, rematch_of=before, rules=line.game.rules,
        )  # fmt: skip
        texts = [encode_record(created).decode(), *line.records]
        log = entries(texts, line.took, ended - sum(line.took))
        return replace(
            line.game, room=room, entries=log, created_hash=created_hash(log[0]), access=access,
            player0=id_of(first), player1=id_of(second), bot0=is_bot(first), bot1=is_bot(second),
            clock=None if clock is None else _json.encode(clock).decode(), category=category,
            started=log[0].at, ended=log[-1].at, rematch_of=before,
            names={id_of(first): name_of(first), id_of(second): name_of(second)},
        )  # fmt: skip

    def _pair(self, rng: Random) -> tuple[int, int]:
        first = second = self._someone(rng)
        while first == second:
            second = self._someone(rng)
        return first, second

    def _someone(self, rng: Random) -> int:
        return bisect(self._shares, rng.random() * self._shares[-1])

    @cached_property
    def _shares(self) -> list[float]:
        return list(accumulate(1 / (rank + 3) ** SKEW for rank in range(self.players)))


def id_of(player: int) -> str:
    """22 letters, as nodes make them."""
    return f"u{player:x}".ljust(22, "x")


def name_of(player: int) -> str:
    """The name of a player: guests share theirs."""
    return f"Guest {1_000 + player % 9_000}" if player % 3 == 2 else f"Player-{player}"


def is_bot(player: int) -> bool:
    return player % BOTS == 4


def room_of(number: int, line: Line) -> str:
    """The room id of this game, with the number of its line: 14 letters, as nodes make them."""
    return _spelled(line.number, 5) + _spelled(number, 9)


def line_of(room: str) -> int:
    """The number of the line that was played in a room."""
    return sum(_LETTERS.index(letter) << 4 * place for place, letter in enumerate(room[4::-1]))


def _spelled(number: int, letters: int) -> str:
    return "".join(_LETTERS[number >> 4 * place & 15] for place in reversed(range(letters)))
