"""Makes pages of the open and running rooms (SPEC 23.18).

The list has three parts: open rooms whose makers are `here`, `running` rooms, and open rooms whose
makers are `away`. In each part the latest come first, by when the room was made or its game began.
This time does not change while the room is in its part, so no page skips a room or shows it twice,
whatever happens meanwhile. A bucket's sorted set has all of them. The score is that time, plus
`OPEN` for an open room.

The time that an open room has left tells whether its maker is here: nodes extend it while somebody
waits. A page costs at most `ROUNDS` looks at all buckets, of `SCANNED` rooms each. So a page may be
short, and only a page without a `next` is the last.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

import msgspec

from pierule_protocol.log.controls import OPEN_TIME, PUBLIC_OPEN_TIME
from pierule_protocol.messages import Card, FreeSeat, ListedStatus

Part: TypeAlias = Literal["here", "running", "away"]
PARTS: tuple[Part, ...] = get_args(Part)

OPEN = 2**42
"""More than any time in milliseconds."""

SPANS: dict[Part, tuple[str, str]] = {
    "here": (str(OPEN), "+inf"),
    "running": ("-inf", f"({OPEN}"),
    "away": (str(OPEN), "+inf"),
}
"""The lowest and the highest score in each part."""

SCANNED = 32
"""Rooms of a bucket that one look goes through."""

ROUNDS = 4
"""The most looks for one page."""

STAY = (PUBLIC_OPEN_TIME, OPEN_TIME)
"""Milliseconds for which a listed room stays open if nobody waits in it: in ordinary games, and by
correspondence."""


class Position(NamedTuple):
    """Where a page ends: after the room with this score and id in its part. Without a room: before
    the first room of the part."""

    part: Part
    score: int = 0
    room: str = ""

    @property
    def text(self) -> str:
        """The position as a cursor for clients."""
        return f"{self.part[0]}{self.score}{self.room}"

    @classmethod
    def parse(cls, text: str) -> Position | None:
        """The position in a cursor; None if we never made this cursor."""
        found = re.fullmatch(r"([hra])(0|[1-9][0-9]{0,14})([a-z]{0,32})", text)
        if found is None:
            return None
        part = next(part for part in PARTS if part[0] == found[1])
        position = cls(part, int(found[2]), found[3])
        if not (position.score and position.room):
            return None if position.score or position.room else position
        return position if (position.score >= OPEN) == (part != "running") else None


@dataclass(frozen=True, slots=True)
class RoomFilter:
    """The rooms to list: those that match every field that is not None."""

    game: str | None = None
    size: int | None = None
    status: ListedStatus | None = None
    free_seat: FreeSeat | None = None

    @property
    def parts(self) -> list[Part]:
        """The parts that may have such rooms."""
        runs = self.status != "open" and self.free_seat is None
        waits = self.status != "running"
        return [part for part in PARTS if (runs if part == "running" else waits)]

    @property
    def needles(self) -> list[str]:
        """Texts that the cards (JSON) of all such rooms contain. A name cannot contain them,
        because JSON escapes its quotation marks."""
        game = None if self.game is None else f'"game":{msgspec.json.encode(self.game).decode()},'
        size = None if self.size is None else f'"size":{self.size},'
        seat = None if self.free_seat is None else _FREE.get(self.free_seat)
        return [needle for needle in (game, size, seat) if needle]

    def among(self, rooms: Iterable[Listed]) -> Iterator[Listed]:
        """Those of the rooms that the filter wants."""
        parts, needles = self.parts, [each.encode() for each in self.needles]
        for room in rooms:
            if room.part in parts and all(each in room.text for each in needles):
                yield room


_FREE: dict[FreeSeat, str] = {0: '"names":[null,', 1: ',null],"turn":'}


class Listed(NamedTuple):
    """A room in a list. `text` is its card, as JSON. `origin` stands for the network from which
    the room comes, where that is known and asked for."""

    part: Part
    score: int
    room: str
    text: bytes
    origin: str = ""

    @property
    def card(self) -> Card:
        """The card as clients see it. A card of an earlier release may lack its time."""
        card = _cards.decode(self.text)
        at = max(card.at, self.score % OPEN)
        return msgspec.structs.replace(card, at=at, away=self.part == "away")


_cards: msgspec.json.Decoder[Card] = msgspec.json.Decoder(Card)


@dataclass(frozen=True, slots=True)
class Page:
    """Some rooms, and the position of the next; None if there are no more."""

    rooms: list[Listed]
    next: Position | None


Share: TypeAlias = Sequence[Any]
"""The rooms of one bucket, as `page_of_rooms.lua` returns them."""

Look: TypeAlias = Callable[[Position, int], Awaitable[Sequence[Share]]]
"""Gives the shares of all buckets after a position, each of at most this many rooms."""


async def page(look: Look, parts: list[Part], after: Position | None, limit: int) -> Page:
    """At most `limit` rooms of these parts after a position, or from the beginning."""
    ahead = [
        part for part in parts if after is None or PARTS.index(part) >= PARTS.index(after.part)
    ]
    rooms: list[Listed] = []
    position = after if after and ahead[:1] == [after.part] else None
    for _ in range(ROUNDS):
        if not ahead:
            return Page(rooms, None)
        position = position or Position(ahead[0])
        if len(rooms) >= limit:
            return Page(rooms, position)
        found, position = _merged(
            ahead[0], await look(position, 4 + limit // 16), limit - len(rooms)
        )
        rooms += found
        if position is None:
            del ahead[0]
    return Page(rooms, position or (Position(ahead[0]) if ahead else None))


def _merged(
    part: Part, shares: Sequence[Share], limit: int
) -> tuple[list[Listed], Position | None]:
    """The first rooms of all buckets, and the position at which they end; None at the end of the
    part. They stop where the first bucket stopped, because its further rooms are not known."""
    stops = [(int(at), room.decode()) for at, room, _ in shares if room]
    stop = max(stops, default=(0, ""))
    found = [
        Listed(part, int(at), room.decode(), card)
        for _, _, flat in shares
        for at, room, card in zip(flat[::3], flat[1::3], flat[2::3], strict=True)
    ]
    known = sorted((each for each in found if each[1:3] >= stop), key=_place, reverse=True)
    if len(known) > limit:
        known = known[:limit]
        return known, Position(part, known[-1].score, known[-1].room)
    return known, Position(part, *stop) if stops else None


def _place(listed: Listed) -> tuple[int, str]:
    return listed.score, listed.room
