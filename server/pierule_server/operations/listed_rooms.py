"""Reads the cards of open and running rooms, for the previews of links (SPEC 29).

Only public rooms have cards, and the card of a room with a delay shows it as it was when its game
began. A preview reads one card. It writes nothing and never reads a room's log.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

import msgspec
from redis.exceptions import RedisError

from pierule_archive.previews.site import NotTold
from pierule_protocol.messages import Card
from pierule_server.settings import Settings
from pierule_server.store.buckets import bucket_of, cards_key
from pierule_server.store.driver.access import Access
from pierule_server.store.driver.embedded import running_store
from pierule_server.store.driver.primary import Timeouts, trusting
from pierule_server.store.driver.topology import Topology
from pierule_server.store.room_log import StoreUnavailable, StoreUnusable

TIMEOUTS = Timeouts(request=1.5, connect=1.0)
"""They are short, because a person waits for the page."""

_FAILURES = (
    StoreUnavailable, StoreUnusable, RedisError, OSError, ValueError, msgspec.DecodeError,
)  # fmt: skip

_cards: msgspec.json.Decoder[Card] = msgspec.json.Decoder(Card)


class ListedRooms:
    """Reads cards from the store of these settings. It connects when it reads the first card.
    Raises ValueError for wrong settings."""

    def __init__(self, chosen: Settings) -> None:
        self._data = None if chosen.store != "embedded" else chosen.data
        self._url = "" if self._data else trusting(chosen.store, chosen.store_ca)
        if self._url:  # or every preview would fail, and nobody would know why
            Topology(self._url, TIMEOUTS)
        self._topology: Topology | None = None
        self._opening = asyncio.Lock()

    async def card(self, room: str) -> Card | None:
        """The card of a room; None if the room is not listed. Raises NotTold if the store does not
        answer."""
        bucket = bucket_of(room)
        try:
            async with asyncio.timeout(TIMEOUTS.request):
                access = Access(await self._opened(), TIMEOUTS)
                found = await access.request(bucket, "HGET", cards_key(bucket), room)
            return None if found is None else _cards.decode(found)
        except _FAILURES as error:
            if self._data:  # an embedded store has another socket after a restart
                await self.close()
            raise NotTold from error

    async def close(self) -> None:
        """Close the connection."""
        topology, self._topology = self._topology, None
        if topology is not None:
            await topology.close()

    async def _opened(self) -> Topology:
        async with self._opening:
            if self._topology is None:
                url = running_store(self._data) if self._data else self._url
                topology = Topology(url, TIMEOUTS)
                try:
                    await topology.discover()
                except BaseException:
                    with suppress(Exception):
                        await topology.close()
                    raise
                self._topology = topology
            return self._topology
