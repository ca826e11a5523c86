"""A position as messages carry it, its canonical text and its digest (SPEC 5).

No rules enter here: everything works on plain fields, as in a client without rules.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from operator import attrgetter
from typing import Literal, Protocol, TypeAlias
from zlib import crc32

import msgspec

from pierule_games.game import Fields, Seat, Winner

CELL_LETTERS = b".bwsBWacdefghijklmnopqrtuvxyzACDEFGHIJKLMNOPQRSTUVXYZ0123456789"
"""The letters for the cell values 0 to 62 in a position's text."""

_TO_LETTERS = bytes.maketrans(bytes(range(len(CELL_LETTERS))), CELL_LETTERS)
_TO_CELLS = bytes.maketrans(CELL_LETTERS, bytes(range(len(CELL_LETTERS))))


class PositionState(msgspec.Struct, frozen=True, kw_only=True):
    """A position's fields. `score` is (Black, White); `black` is the seat that plays Black."""

    game: str
    size: int
    phase: str
    to_act: Literal[0, 1] | None
    black: Literal[0, 1] | None
    komi: int | None
    passes: int
    score: tuple[int, int]
    winner: Winner | None
    cells: list[int]


class HasFields(Protocol):
    """Anything with a position's fields: the wire's struct, the rules' types, `Fields`."""

    @property
    def game(self) -> str: ...
    @property
    def size(self) -> int: ...
    @property
    def phase(self) -> str: ...
    @property
    def to_act(self) -> Literal[0, 1] | None: ...
    @property
    def black(self) -> Literal[0, 1] | None: ...
    @property
    def komi(self) -> int | None: ...
    @property
    def passes(self) -> int: ...
    @property
    def score(self) -> tuple[int, int]: ...
    @property
    def winner(self) -> Winner | None: ...
    @property
    def cells(self) -> bytes | list[int]: ...


def position_state(position: HasFields) -> PositionState:
    """A position of the rules, in the form that messages carry."""
    return PositionState(
        game=position.game,
        size=position.size,
        phase=position.phase,
        to_act=position.to_act,
        black=position.black,
        komi=position.komi,
        passes=position.passes,
        score=position.score,
        winner=position.winner,
        cells=list(position.cells),
    )


PlainFields: TypeAlias = tuple[
    str, int, str, Seat | None, Seat | None, int | None, int, tuple[int, int], Winner | None,
    bytes | list[int],
]  # fmt: skip
"""The values of a position's fields, in the order of `FIELDS`."""

FIELDS = (
    *("game", "size", "phase", "to_act", "black", "komi"),
    *("passes", "score", "winner", "cells"),
)
plain_fields: Callable[[HasFields], PlainFields] = attrgetter(*FIELDS)
"""The values of a position's fields. Some are computed on every access, so keep the result if you
need it twice."""


def position_text(position: HasFields) -> str:
    """The canonical text of a position (SPEC 5.3): ten fields, separated by single spaces.

    `loose 5 play 1 1 12 0 1-13 - ...../..b../...../.w.../.....` has game, size, phase, the seat to
    act, the seat that plays Black, komi, passes, the scores of Black and White, the winner, and the
    rows of the board, the highest first. `-` stands for null.
    """
    return text_of(plain_fields(position))


def text_of(fields: PlainFields) -> str:
    """The canonical text of a position with these fields."""
    game, size, phase, to_act, black, komi, passes, score, winner, cells = fields
    letters = bytes(cells).translate(_TO_LETTERS).decode("ascii")
    rows = "/".join([letters[i : i + size] for i in range(size * (size - 1), -1, -size)])
    black_score, white_score = score
    return (
        f"{game} {size} {phase} {_mark(to_act)} {_mark(black)} {_mark(komi)} {passes} "
        f"{black_score}-{white_score} {_mark(winner)} {rows}"
    )


def digest(text: str) -> int:
    """CRC-32 of the text's UTF-8 bytes, 0 to 2**32 - 1."""
    return crc32(text.encode())


_NUMBER = r"(?:0|[1-9][0-9]{0,3})"
_GRAMMAR = re.compile(
    rf"(?P<game>[a-z]+) (?P<size>{_NUMBER}) (?P<phase>[a-z]+) (?P<to_act>[01-]) (?P<black>[01-]) "
    rf"(?P<komi>-|{_NUMBER}) (?P<passes>[0-2]) (?P<b>{_NUMBER})-(?P<w>{_NUMBER}) "
    r"(?P<winner>[01-]|draw) (?P<board>[.a-zA-Z0-9/]+)",
    re.ASCII,
)


def parse_position(text: str) -> Fields:
    """The fields in a position's text. Raises ValueError for any other text.

    It checks only the grammar. `Rules.restore` checks whether a game can lead to the position.
    """
    match = _GRAMMAR.fullmatch(text)
    if match is None:
        raise ValueError("this is not a position's text, which has ten fields (SPEC 5.3)")
    size = int(match["size"])
    rows = match["board"].split("/")
    if len(rows) != size or any(len(row) != size for row in rows):
        raise ValueError(f"the board is not {size} rows of {size} cells")
    return Fields(
        game=match["game"],
        size=size,
        phase=match["phase"],
        to_act=_seat(match["to_act"]),
        black=_seat(match["black"]),
        komi=None if match["komi"] == "-" else int(match["komi"]),
        passes=int(match["passes"]),
        score=(int(match["b"]), int(match["w"])),
        winner="draw" if match["winner"] == "draw" else _seat(match["winner"]),
        cells="".join(reversed(rows)).encode("ascii").translate(_TO_CELLS),
    )


def _mark(value: int | str | None) -> int | str:
    return "-" if value is None else value


def _seat(mark: str) -> Literal[0, 1] | None:
    return {"0": 0, "1": 1, "-": None}[mark]
