"""Players whose names were away have them again once the store is back."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from pierule_protocol.log.events import Entry
from pierule_protocol.state.room import CorruptLog
from pierule_server.rooms import unnamed
from pierule_server.store.room_log import StoreUnavailable
from pierule_server.store.tables.accounts import Account, nameless
from support.nodes import ANNA, BERT, CARL, Client, Node, running

NAMELESS = [nameless(ANNA.id), nameless(BERT.id)]
BOUND = 60.0


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(unnamed, "PAUSE", 0.0)


def names(client: Client) -> list[str | None]:
    return [holder.name if holder else None for holder in client.mirror().seats]


async def told(client: Client, expected: list[str]) -> None:
    async with asyncio.timeout(BOUND):
        while names(client) != expected:  # noqa: ASYNC110 - what a mirror shows
            await asyncio.sleep(0)


async def seated(node: Node) -> str:
    """A game that no node has in memory."""
    room = await node.make()
    await node.follow(client := Client(BERT), room, seat="any", nonce="s")
    node.hub.leave(client.connection, room)
    node.hub.cache.let_go(room)
    return room


@contextmanager
def hidden(node: Node, *users: str) -> Iterator[None]:
    """The part of the store with the accounts of these users is away."""
    gone = node.log.tables.accounts.gone

    async def away(asked: set[str]) -> set[str]:
        if asked & set(users):
            raise StoreUnavailable
        return await gone(asked)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node.log.tables.accounts, "gone", away)
        yield


async def following(node: Node, room: str) -> Client:
    await node.follow(client := Client(CARL), room)
    return client


async def test_names_that_were_away_come_back_to_followers() -> None:
    async with running() as [node]:
        room = await seated(node)
        with hidden(node, ANNA.id, BERT.id):
            client = await following(node, room)
            assert names(client) == NAMELESS
            await asyncio.sleep(0.01)
            assert names(client) == NAMELESS, "still away"
        await told(client, ["Anna", "Bert"])
        # Whoever resumes is not told by what this node has kept of the latest events.
        assert names(await following(node, room)) == ["Anna", "Bert"]


async def test_only_names_that_are_away_are_hidden() -> None:
    async with running() as [node]:
        room = await seated(node)
        with hidden(node, ANNA.id):
            client = await following(node, room)
            assert names(client) == [nameless(ANNA.id), "Bert"]
        await told(client, ["Anna", "Bert"])


async def test_a_name_that_was_deleted_meanwhile_does_not_come_back() -> None:
    async with running() as [node]:
        room = await seated(node)
        with hidden(node, ANNA.id, BERT.id):
            client = await following(node, room)
            await node.log.tables.accounts.keep(ANNA.id, Account())
        await told(client, [nameless(ANNA.id), "Bert"])


async def test_a_room_that_was_only_read_does_not_stay() -> None:
    async with running() as [node]:
        room = await seated(node)
        with hidden(node, ANNA.id):
            await node.log.read(room)
        await asyncio.sleep(0.01)
        assert node.hub.cache.at_hand(room) is None


async def test_no_room_waits_for_those_that_are_damaged(monkeypatch: pytest.MonkeyPatch) -> None:
    async with running() as [node]:
        rooms = [await seated(node) for _ in range(8)]
        with hidden(node, ANNA.id, BERT.id):
            clients = [await following(node, room) for room in rooms]
            read = node.log.read

            async def damaged(room: str, first: int = 1) -> list[Entry]:
                if room in rooms[:4]:
                    raise CorruptLog(room, first, "is damaged")
                return await read(room, first)

            monkeypatch.setattr(node.log, "read", damaged)
        for client in clients[4:]:
            await told(client, ["Anna", "Bert"])
