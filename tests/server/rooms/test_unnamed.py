"""Players whose names were away have them again once the store is back."""

from __future__ import annotations

import asyncio

import pytest

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


def hide(patch: pytest.MonkeyPatch, node: Node, *users: str) -> None:
    """The part of the store with the accounts of these users is away."""
    gone = node.log.tables.accounts.gone

    async def away(asked: set[str]) -> set[str]:
        if asked & set(users):
            raise StoreUnavailable
        return await gone(asked)

    patch.setattr(node.log.tables.accounts, "gone", away)


async def test_names_that_were_away_come_back_to_followers() -> None:
    async with running() as [node]:
        room = await seated(node)
        client = Client(CARL)
        with pytest.MonkeyPatch.context() as patch:
            hide(patch, node, ANNA.id, BERT.id)
            await node.follow(client, room)
            assert names(client) == NAMELESS
            await asyncio.sleep(0.01)
            assert names(client) == NAMELESS, "still away"
        await told(client, ["Anna", "Bert"])
        # Whoever resumes is not told by what this node has kept of the latest events.
        await node.follow(again := Client(CARL), room)
        assert names(again) == ["Anna", "Bert"]


async def test_only_names_that_are_away_are_hidden() -> None:
    async with running() as [node]:
        room = await seated(node)
        client = Client(CARL)
        with pytest.MonkeyPatch.context() as patch:
            hide(patch, node, ANNA.id)
            await node.follow(client, room)
            assert names(client) == [nameless(ANNA.id), "Bert"]
        await told(client, ["Anna", "Bert"])


async def test_a_name_that_was_deleted_meanwhile_does_not_come_back() -> None:
    async with running() as [node]:
        room = await seated(node)
        client = Client(CARL)
        with pytest.MonkeyPatch.context() as patch:
            hide(patch, node, ANNA.id, BERT.id)
            await node.follow(client, room)
            await node.log.tables.accounts.keep(ANNA.id, Account())
        await told(client, [nameless(ANNA.id), "Bert"])


async def test_a_room_that_was_only_read_does_not_stay() -> None:
    async with running() as [node]:
        room = await seated(node)
        with pytest.MonkeyPatch.context() as patch:
            hide(patch, node, ANNA.id)
            await node.log.read(room)
        await asyncio.sleep(0.01)
        assert node.hub.cache.at_hand(room) is None
