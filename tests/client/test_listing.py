"""Rooms as a client lists them, page by page, and of servers that have no pages."""

from __future__ import annotations

import asyncio

from msgspec.structs import replace

from client.conftest import Connect
from client.test_connection import CARD
from pierule_protocol.messages import Ok, RoomsQuery
from support.scripted import soon


async def test_a_list_goes_on_over_short_pages(connect: Connect) -> None:
    async with connect() as (client, line):
        client.welcome.features.append("filters")
        listing = asyncio.create_task(client.rooms(3, game="loose", free_seat="any"))
        left = 3
        for number, after in enumerate((None, "h0", "a0")):
            asked = await line.expect(RoomsQuery)
            assert (asked.game, asked.free_seat) == ("loose", "any")
            assert (asked.after, asked.limit) == (after, left)
            cards = [CARD] * (number != 1)
            left -= len(cards)
            await line.send(Ok(id=asked.id, rooms=cards, next=(*("h0", "a0"), None)[number]))
        assert await soon(listing) == [CARD, CARD]


async def test_without_paging_the_client_filters_the_latest_rooms(connect: Connect) -> None:
    async with connect() as (client, line):
        listing = asyncio.create_task(client.rooms(1, size=7, free_seat=0))
        asked = await line.expect(RoomsQuery)
        assert asked == RoomsQuery(id=asked.id, limit=100)
        small = replace(CARD, size=7, names=(None, "Bea"))
        other = replace(small, names=("Ada", None))
        await line.send(Ok(id=asked.id, rooms=[CARD, other, small, small]))
        assert await soon(listing) == [small]
