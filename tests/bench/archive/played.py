"""Games that are played once, by the rules, and then each stand for many (`crowd`).

Openings are as among people: each position has a few known answers, and the first is played most.
So many games pass through the same first positions.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from random import Random

from bench.rounds import say
from pierule_archive.game import Game, game_of
from pierule_bots.player import random_action
from pierule_games import GAMES
from pierule_games.game import Position
from pierule_games.refusal import Refusal
from pierule_protocol.log.events import (
    EMPTY,
    Acted,
    AnyRecord,
    Created,
    Entry,
    Holder,
    Resigned,
    chain,
    encode_record,
)

BOARDS = {
    ("loose", 5): 20, ("loose", 7): 14, ("loose", 9): 12, ("loose", 11): 1,
    ("taugo", 6): 12, ("taugo", 8): 14, ("taugo", 10): 5, ("taugo", 16): 1,
    ("veletas", 7): 12, ("veletas", 9): 6, ("veletas", 10): 3,
}  # fmt: skip
"""How many games in a hundred are played on each board."""

BOOK_PLIES = 12
KNOWN = 8
FOLLOWED = 0.9
"""The plies of an opening, the known answers in a position, and how often one of them is played."""

WEIGHTS = [1 / rank**1.3 for rank in range(1, KNOWN + 1)]

FINISHED = 0.45
"""The share of games that are played to their end; in the others somebody resigns."""

PEOPLE = "first", "second"
"""Stand-ins for the players, until `crowd` replaces them."""


@dataclass(frozen=True)
class Line:
    """A played game: its number, what the archive would keep, its events after the first, and the
    milliseconds that each event took."""

    number: int
    game: Game
    records: tuple[str, ...]
    took: tuple[int, ...]


class Book:
    """The known openings."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._answers: dict[Position, list[str]] = {}

    def choose(self, position: Position, ply: int) -> str:
        """The action to play in a position."""
        if ply >= BOOK_PLIES or self._rng.random() > FOLLOWED:
            return random_action(position, self._rng)
        answers = self._answers.get(position)
        if answers is None:
            answers = [random_action(position, self._rng) for _ in range(KNOWN)]
            self._answers[position] = answers
        return self._rng.choices(answers, WEIGHTS)[0]


def lines(count: int, seed: int) -> list[Line]:
    """This many games, all different."""
    rng = Random(seed)
    book = Book(rng)
    boards = rng.choices(list(BOARDS), list(BOARDS.values()), k=count)
    found = []
    for number, board in enumerate(boards):
        found.append(_line(number, *board, book, rng))
        if not (number + 1) % 1_000:
            say(f"  {number + 1} games played")
    return found


def _line(number: int, game: str, size: int, book: Book, rng: Random) -> Line:
    records = list(_records(game, size, book, rng))
    texts = [encode_record(each).decode() for each in records]
    took = [1, *(rng.randrange(500, 12_000) for _ in texts[1:])]
    kept = game_of("played", entries(texts, took, 0))
    return Line(number, kept, tuple(texts[1:]), tuple(took))


def _records(game: str, size: int, book: Book, rng: Random) -> Iterator[AnyRecord]:
    players = Holder(PEOPLE[0], ""), Holder(PEOPLE[1], "")
    yield Created(game, size, PEOPLE[0], "", "n", players=players, rules=GAMES[game].version)
    position: Position = GAMES[game].opening(size)
    plies = 400 if rng.random() < FINISHED else rng.randrange(6, 50)
    for ply in range(plies):
        if position.to_act is None:
            return
        action = book.choose(position, ply)
        yield Acted(position.to_act, action)
        after = position.play(action)
        assert not isinstance(after, Refusal), after
        position = after
    if position.to_act is not None:
        yield Resigned(position.to_act, "n-end")


def entries(texts: Sequence[str], took: Sequence[int], at: int) -> list[Entry]:
    """The log of records that took these times, from a start on."""
    link, found = EMPTY.chain, []
    for seq, (text, passed) in enumerate(zip(texts, took, strict=True), 1):
        at += passed
        link = chain(link, 1, seq, text.encode(), at)
        found.append(Entry(1, seq, link, at, text))
    return found
