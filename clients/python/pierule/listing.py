"""Lists that come in pages: rooms (SPEC 23.18), and what is stored about a user (24.11)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import NamedTuple

from pierule.session import Session
from pierule_protocol.messages import Card, DownloadAccount, FreeSeat, ListedStatus, RoomsQuery

MOST = 100
"""The most rooms in a page."""


class RoomFilter(NamedTuple):
    """Which rooms to list: those that match all fields that are not None."""

    game: str | None
    size: int | None
    status: ListedStatus | None
    free_seat: FreeSeat | None

    def has(self, card: Card) -> bool:
        """Whether a room matches."""
        seat = self.free_seat
        return (
            self.game in (None, card.game)
            and self.size in (None, card.size)
            and self.status in (None, card.status)
            and (seat is None or None in (card.names if seat == "any" else [card.names[seat]]))
        )


async def list_rooms(session: Session, limit: int | None, filter_: RoomFilter) -> list[Card]:
    """At most `limit` rooms (None: all). A server without the feature `filters` has only one page,
    with the latest rooms of all kinds; they are filtered here."""
    if "filters" not in session.welcome.features:
        plain = filter_ == RoomFilter(None, None, None, None)
        ok = await session.request(RoomsQuery(id=0, limit=limit if plain and limit else MOST))
        return [card for card in ok.rooms or [] if filter_.has(card)][:limit]
    cards: list[Card] = []
    after = None
    while True:
        most = MOST if limit is None else min(MOST, limit - len(cards))
        game, size, status, seat = filter_
        ok = await session.request(
            RoomsQuery(
                id=0, limit=most, game=game, size=size, status=status, free_seat=seat, after=after
            )
        )
        cards += ok.rooms or []
        after = ok.next
        if after is None or len(cards) == limit:
            return cards


async def download_account(session: Session) -> AsyncIterator[str]:
    """All lines that the server stores about the user."""
    page = await session.request(DownloadAccount(id=0))
    while True:
        for line in page.lines or ():
            yield line
        if page.next is None:
            return
        page = await session.request(DownloadAccount(id=0, after=page.next))
