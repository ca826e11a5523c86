"""Nodes forget the names of deleted accounts, also those that were not told (SPEC 24.4)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import msgspec
import pytest

from pierule_protocol.log.events import Entry
from pierule_protocol.messages import Card, Create
from pierule_server.lobby.erasure import GONE, Unlisting
from pierule_server.store.buckets import topic_of
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.accounts import Account, nameless
from support.logs import cards
from support.nodes import ANNA, BERT, Client, Node, holder, running, settle

BOUND = 60.0


def names(client: Client) -> list[str | None]:
    return [holder.name if holder else None for holder in client.mirror().seats]


async def told(client: Client, name: str) -> None:
    async with asyncio.timeout(BOUND):
        while name not in names(client):  # noqa: ASYNC110 - what a mirror shows
            await asyncio.sleep(0)


async def followed(node: Node) -> tuple[str, Client]:
    client, room = Client(BERT), await node.make()
    await node.follow(client, room, seat="any", nonce="s")
    assert names(client) == ["Anna", "Bert"]
    return room, client


async def test_followers_get_a_snapshot_after_an_erasure() -> None:
    async with running(2) as [here, there]:
        there.lobby.start()
        room, client = await followed(there)
        place = client.mirror().place
        await asyncio.sleep(0)
        await here.log.tables.accounts.keep(ANNA.id, Account())
        await Unlisting(here.hub, here.log, here.log.tables).forget(ANNA.id)
        await told(client, nameless(ANNA.id))
        assert (names(client), client.mirror().place) == ([nameless(ANNA.id), "Bert"], place)
        # Whoever resumes is not told by what this node has kept of the latest events.
        again = Client(BERT)
        await there.follow(again, room)
        assert names(again) == [nameless(ANNA.id), "Bert"]


async def test_a_missed_erasure_is_found() -> None:
    async with running() as [node]:
        node.lobby.start()
        _, client = await followed(node)
        node.deafen(topic_of(ANNA.id))
        await node.log.tables.accounts.keep(ANNA.id, Account())
        await Unlisting(node.hub, node.log, node.log.tables).forget(ANNA.id)
        await settle()
        assert names(client) == ["Anna", "Bert"]
        node.hub.gap([topic_of(ANNA.id)])
        await told(client, nameless(ANNA.id))


async def listed(node: Node, name: str) -> None:
    """Until listings show the one room with Anna called so, at the turn that it has now."""
    async with asyncio.timeout(BOUND):
        while not any(name.encode() in card for card in await cards(node.log)):  # noqa: ASYNC110
            await asyncio.sleep(0)


async def test_a_node_that_hears_late_of_an_erasure_corrects_its_cards() -> None:
    async with running(2) as [here, there]:
        there.lobby.start()
        room, _ = await followed(there)
        there.deafen(topic_of(ANNA.id))
        await here.log.tables.accounts.keep(ANNA.id, Account())
        await Unlisting(here.hub, here.log, here.log.tables).forget(ANNA.id)
        await listed(here, nameless(ANNA.id))
        await there.act(ANNA, room, 0, "komi:12")
        await listed(here, '"Anna"')
        there.hub.gap([topic_of(ANNA.id)])
        await listed(here, nameless(ANNA.id))


async def test_a_card_with_an_erased_name_is_corrected_after_a_store_outage(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with running(2) as [here, there]:
        there.lobby.start()
        room, _ = await followed(there)
        await asyncio.sleep(0)
        await here.log.tables.accounts.keep(ANNA.id, Account())
        await there.act(ANNA, room, 0, "komi:12")
        recard, tries = there.log.recard, 0

        async def fail_once(name: str, change: Callable[[bytes], bytes]) -> None:
            nonlocal tries
            tries += 1
            if tries == 1:
                raise StoreUnavailable
            await recard(name, change)

        monkeypatch.setattr(there.log, "recard", fail_once)
        await here.log.tables.inboxes.put(ANNA.id, GONE, "", 1_000)  # and here it dies at it
        await listed(here, nameless(ANNA.id))
        assert tries == 2


async def test_a_room_from_a_seek_of_a_deleted_account_shows_no_name() -> None:
    """By a seek or a challenge that stood."""
    async with running() as [node]:
        await node.log.tables.accounts.keep(ANNA.id, Account())
        asked = Create(id=1, nonce="n", game="loose", seat=0)
        await node.rooms.start(holder(BERT), holder(ANNA), asked)
        [card] = await cards(node.log)
        assert msgspec.json.decode(card, type=Card).names == ("Bert", nameless(ANNA.id))


async def test_a_room_that_is_being_loaded_loses_the_erased_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The name goes while the log is on its way."""
    async with running() as [node]:
        room = await node.make()
        node.hub.cache.let_go(room)
        read, begun, go_on = node.log.read, asyncio.Event(), asyncio.Event()

        async def slowly(name: str, first: int = 1) -> list[Entry]:
            entries = await read(name, first)
            begun.set()
            await go_on.wait()
            return entries

        monkeypatch.setattr(node.log, "read", slowly)
        client = Client(BERT)
        following = asyncio.create_task(node.follow(client, room))
        await begun.wait()
        await node.log.tables.accounts.keep(ANNA.id, Account())
        node.hub.cache.forget({ANNA.id})
        go_on.set()
        await following
        await told(client, nameless(ANNA.id))
