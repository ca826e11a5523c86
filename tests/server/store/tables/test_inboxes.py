"""What users are told: the same for every kind of store."""

from __future__ import annotations

import asyncio
import secrets
from itertools import pairwise

import pytest

from pierule_server.store.buckets import topic_of
from support.backend import Backend
from support.listening import RecordingListener

LONG = 60_000


@pytest.fixture
def user() -> str:
    return secrets.token_hex(8)


async def test_a_note_stays_in_the_inbox_until_it_is_dropped(backend: Backend, user: str) -> None:
    one, other = [(await backend.log()).tables.inboxes for _ in range(2)]
    assert await one.put(user, "k:1", "first ä {} text", LONG) == "put"
    assert await other.put(user, "k:1", "second", LONG) == ("first ä {} text",)
    assert await other.read(user) == {"k:1": "first ä {} text"}
    assert await other.drop(user, "k:1")
    assert not await one.drop(user, "k:1")
    assert await one.read(user) == {}


async def test_a_note_is_published_when_it_is_put(backend: Backend, user: str) -> None:
    ear = RecordingListener()
    hears, other = await backend.log(ear), await backend.log()
    await hears.subscribe(topic_of(user))
    await other.tables.inboxes.put(user, "k:quiet", "x", LONG, told=False)
    await other.tables.inboxes.put(user, "k:1", "some text", LONG)
    await other.tables.inboxes.put(user, "k:1", "again", LONG)
    await ear.until(lambda: bool(ear.notes))
    assert [text for _, text in ear.notes] == [f"{user} k:1 some text"]


async def test_each_kind_of_note_has_its_own_bound(backend: Backend, user: str) -> None:
    inboxes = (await backend.log()).tables.inboxes
    assert await inboxes.put(user, "k:1", "x", LONG, most=2) == "put"
    assert await inboxes.put(user, "kk:1", "x", LONG, most=1) == "put"
    assert await inboxes.put(user, "k:2", "x", LONG, most=2) == "put"
    assert await inboxes.put(user, "k:3", "x", LONG, most=2) == "full"
    assert await inboxes.put(user, "k:2", "x", LONG, most=2) == ("x",)
    tries = [inboxes.put(user, f"z:{number}", "x", LONG, most=3) for number in range(12)]
    assert (await asyncio.gather(*tries)).count("put") == 3


async def test_notes_of_a_kind_are_bounded_by_shares(backend: Backend, user: str) -> None:
    inboxes = (await backend.log()).tables.inboxes

    async def put(name: str, text: str) -> object:
        return await inboxes.put(user, name, text, LONG, most=5, shares=[("(a)", 2), ("b-%d", 3)])

    await inboxes.put(user, "other:1", "(a) b-%d", LONG)
    assert [await put(f"k:{n}", "(a)") for n in range(3)] == ["put", "put", 0]
    assert await put("k:0", "(a)") == ("(a)",)
    assert [await put(f"k:b{n}", "b-%d") for n in range(3)] == ["put", "put", "put"]
    assert await put("k:c", "a b-1") == "full"
    assert await inboxes.drop(user, "k:0")
    assert await put("k:d", "(a) b-%d") == 1
    assert await put("k:d", "a b-1") == "put"
    tries = [put(f"z:{number}", "(a)") for number in range(12)]
    assert (await asyncio.gather(*tries)).count("put") == 2


async def test_a_note_can_replace_another(backend: Backend, user: str) -> None:
    inboxes = (await backend.log()).tables.inboxes
    assert await inboxes.put(user, "b:1", "x", LONG, instead="a:1", needed=True) == "missing"
    assert await inboxes.put(user, "b:1", "x", LONG, instead="a:1") == "put"
    await inboxes.put(user, "a:2", "x", LONG)
    assert await inboxes.put(user, "b:2", "x", LONG, instead="a:2", needed=True) == "put"
    assert set(await inboxes.read(user)) == {"b:1", "b:2"}
    for one, following in pairwise(["c:1", "c:2", "c:3"]):
        await inboxes.put(user, one, "x", LONG)
        tries = [
            inboxes.put(user, f"{following}{number}", "x", LONG, instead=one, needed=True)
            for number in range(5)
        ]
        assert (await asyncio.gather(*tries)).count("put") == 1


async def test_a_note_can_bar_another(backend: Backend, user: str) -> None:
    inboxes = (await backend.log()).tables.inboxes
    assert await inboxes.put(user, "a:1", "x", LONG, unless=["b:1"]) == "put"
    assert await inboxes.put(user, "b:1", "x", LONG) == "put"
    for name in ("a:1", "a:2"):
        assert (
            await inboxes.put(user, name, "y", LONG, unless=["c:1", "b:1"], instead="b:1")
            == "barred"
        )
    assert await inboxes.read(user) == {"a:1": "x", "b:1": "x"}


async def test_the_life_of_a_note_can_be_extended(backend: Backend, user: str) -> None:
    inboxes = (await backend.log()).tables.inboxes
    await inboxes.put(user, "k:1", "some text", LONG)
    assert not await inboxes.extend(user, "k:2", LONG)
    assert await inboxes.extend(user, "k:1", 2 * LONG)
    assert await inboxes.read(user) == {"k:1": "some text"}
    assert await inboxes.extend(user, "k:1", -1)
    assert await inboxes.read(user) == {}
    assert not await inboxes.extend(user, "k:1", LONG)


async def test_notes_expire(backend: Backend, user: str) -> None:
    inboxes = (await backend.log()).tables.inboxes
    await inboxes.put(user, "k:long", "x", LONG)
    await inboxes.put(user, "k:over", "x", -1)
    assert await inboxes.read(user) == {"k:long": "x"}
    assert await inboxes.put(user, "k:over", "y", LONG, most=2) == "put"
