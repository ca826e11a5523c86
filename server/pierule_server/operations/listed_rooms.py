"""The listing of rooms that are open or running, as previews of links show it (SPEC 29).

Only public rooms are listed, and a room with a delay as it was when its game began. One card is
read for one preview, nothing is written, and no room's log is ever asked for.
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
"""A person waits for the page."""

_FAILURES = (
    StoreUnavailable, StoreUnusable, RedisError, OSError, ValueError, msgspec.DecodeError,
)  # fmt: skip

_cards: msgspec.json.Decoder[Card] = msgspec.json.Decoder(Card)


class ListedRooms:
    """Reads cards from the store of these settings, to which it connects for the first one. Raises
    ValueError for wrong settings."""

    def __init__(self, chosen: Settings) -> None:
        self._data = None if chosen.store != "embedded" else chosen.data
        self._url = "" if self._data else trusting(chosen.store, chosen.store_ca)
        self._topology: Topology | None = None
        self._opening = asyncio.Lock()

    async def card(self, room: str) -> Card | None:
        """The card of a room; None if it is not listed. Raises NotTold if the store is away."""
        bucket = bucket_of(room)
        try:
            async with asyncio.timeout(TIMEOUTS.request):
                access = Access(await self._opened(), TIMEOUTS)
                found = await access.request(bucket, "HGET", cards_key(bucket), room)
            return None if found is None else _cards.decode(found)
        except _FAILURES as error:
            if self._data:  # its next life has another socket
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
