"""Seeks at two nodes: bounds, retries, what is told, and what a watcher of the lobby sees."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pierule_protocol.codes import Code
from pierule_protocol.log.events import Standing
from pierule_protocol.messages import (
    CancelSeek,
    LobbyChange,
    LobbyState,
    MyRoomsQuery,
    Notice,
    Ok,
    RatingRange,
    WatchLobby,
)
from pierule_server.lobby import seeking, sought, view
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.store.tables.accounts import Account
from pierule_server.store.tables.pools import LEASE_MS
from support.examples import up_to
from support.model_store import HeldClock, ModelStore
from support.nodes import ANNA, BERT, CARL, Client, Node, running, settle
from support.seekers import (
    TRIES,
    cancel_seek,
    code_of,
    come,
    ids,
    seek,
    told,
    two_lobbies,
)


@pytest.fixture
async def nodes() -> AsyncIterator[list[Node]]:
    async with two_lobbies() as made:
        yield made


async def test_a_pairing_is_told_on_all_connections_of_both_users(nodes: list[Node]) -> None:
    anna, again, bert = come(nodes[0], ANNA), come(nodes[1], ANNA), come(nodes[1], BERT)
    await settle()
    assert (await seek(nodes[0], anna)).room is None
    answer = await seek(nodes[1], bert, "m")
    await settle()
    for client, nonce in ((anna, "n"), (again, "n"), (bert, "m")):
        assert {(each.nonce, each.room) for each in told(client)} == {(nonce, answer.room)}
    late = come(nodes[1], ANNA)
    await settle()
    assert told(late)[0] == told(anna)[0]
    for client in (anna, late):
        retry = await seek(nodes[0], client)
        assert (retry.room, retry.seats) == (answer.room, [told(anna)[0].seat])
    assert answer.room is not None
    assert nodes[0].kept(answer.room).place.seq == 1
    query = MyRoomsQuery(id=1)
    mine = (await nodes[0].ask_lobby(anna.connection, ANNA, query)).my_rooms or []
    assert [each.card.room for each in mine] == [answer.room]
    await nodes[0].resign(ANNA, answer.room)
    assert (await nodes[1].ask_lobby(bert.connection, BERT, query)).my_rooms == []


async def test_the_room_of_a_pairing_says_whether_it_counts(nodes: list[Node]) -> None:
    anna, bert = come(nodes[0], ANNA), come(nodes[1], BERT)
    assert await code_of(seek(nodes[0], anna, rated="yes")) is Code.UNRATED
    for user in (ANNA, BERT):
        await nodes[0].log.tables.accounts.keep(user.id, Account(user.name, user.name.lower()))
    assert await code_of(seek(nodes[0], anna, rated="yes", bot_after=5)) is Code.BAD_FIELD
    for number, (one, other, why) in enumerate(
        [("yes", "either", None), ("either", "no", "wish"), ("either", "either", None)]
    ):
        await seek(nodes[0], anna, f"n{number}", rated=one)
        room = (await seek(nodes[1], bert, f"m{number}", rated=other)).room
        assert room is not None
        assert nodes[1].kept(room).unrated == why


async def test_a_seek_carries_a_rating(nodes: list[Node]) -> None:
    """That of its user in the game; guests have none."""
    anna, bert = come(nodes[0], ANNA), come(nodes[1], BERT)
    await nodes[0].log.tables.accounts.keep(BERT.id, Account("Bert", "bert"))
    nodes[1].ratings.known = {BERT.id: 1_720}
    wanted = RatingRange(below=50, above=None)
    await seek(nodes[0], anna, "a")
    await seek(nodes[1], bert, "b", size=7, range=wanted)
    kept = {who.nonce: (who.standing, who.range) for who in nodes[0].store.seekers}
    assert kept == {"a": (None, None), "b": (Standing(1_720, 60), wanted)}


async def test_a_range_needs_a_rating(nodes: list[Node]) -> None:
    anna, wanted = come(nodes[0], ANNA), RatingRange(below=50, above=None)
    with pytest.raises(Refused) as caught:
        await seek(nodes[0], anna, range=wanted)
    assert (caught.value.code, caught.value.fields) == (Code.UNRATED, {"field": "range"})
    await nodes[0].log.tables.accounts.keep(ANNA.id, Account("Anna", "anna"))
    nodes[1].ratings.known = {ANNA.id: 1_720}
    await seek(nodes[1], anna, "kept", range=wanted)
    nodes[0].ratings.away = True
    assert await code_of(seek(nodes[0], anna, range=wanted)) is Code.UNAVAILABLE
    assert (await seek(nodes[0], anna)).room is None
    # What was accepted is not refused because it is sent again, and goes on as it was.
    assert (await seek(nodes[0], anna, "kept", range=wanted)).room is None
    (kept,) = [who for who in nodes[0].store.seekers if who.nonce == "kept"]
    assert kept.standing == Standing(1_720, 60)


async def test_a_seek_does_not_become_another(nodes: list[Node]) -> None:
    anna = come(nodes[0], ANNA)
    await seek(nodes[0], anna, "n", rated="no")
    with pytest.raises(Refused) as caught:
        await seek(nodes[1], anna, "n")
    assert (caught.value.code, caught.value.fields) == (Code.BAD_FIELD, {"field": "nonce"})
    assert (await seek(nodes[1], anna, "n", rated="no")).room is None


async def test_the_last_opponent_is_paired_after_others(nodes: list[Node]) -> None:
    anna, bert, carl = come(nodes[0], ANNA), come(nodes[1], BERT), come(nodes[0], CARL)
    await seek(nodes[0], anna)
    assert (await seek(nodes[1], bert)).room is not None
    await seek(nodes[1], bert, "b2", rated="no")  # whoever comes first
    await nodes[0].log.tables.block_lists.put(CARL.id, BERT.id, "block", 10)
    await seek(nodes[0], carl, "c1")
    room = (await seek(nodes[0], anna, "a2")).room
    assert room is not None
    assert {seat and seat.user for seat in nodes[0].kept(room).seats} == {ANNA.id, CARL.id}
    notes = await nodes[0].log.tables.inboxes.read(ANNA.id)
    assert notes[sought.LAST] == CARL.id


async def test_invalid_seeks_and_those_over_the_limit_are_refused(nodes: list[Node]) -> None:
    anna = come(nodes[0], ANNA)
    for size in (5, 7, 9):
        await seek(nodes[0], anna, f"n{size}", size=size)
    assert await code_of(seek(nodes[0], anna, "n11", size=11)) is Code.LIMIT
    await seek(nodes[0], anna, "n5")
    assert await code_of(seek(nodes[0], anna, "n5", size=7)) is Code.BAD_FIELD
    assert await code_of(seek(nodes[0], anna, "x", size=6)) is Code.BAD_FIELD
    assert await code_of(seek(nodes[0], anna, "x", game="chess")) is Code.BAD_FIELD
    await cancel_seek(nodes[1], come(nodes[1], ANNA), "n5")
    await seek(nodes[0], anna, "n11", size=11)


@given(data=st.data())
@settings(deadline=None, max_examples=up_to(40))
def test_racing_nodes_respect_the_bound_on_seeks(data: st.DataObject) -> None:
    """What is asked of the store is delayed at will: nobody waits beyond the bound, nobody whose
    connection stands is told that a seek has expired, and as many wait as may."""
    turns = data.draw(st.lists(st.sampled_from([0, 1, 5, 60]), min_size=80, max_size=80))

    async def race() -> None:
        async with running(2, ModelStore(HeldClock())) as nodes:
            delays = iter(turns)
            for node in nodes:
                for part, names in (
                    (node.log.tables.inboxes, ("put", "read")),
                    (node.log.tables.pools, ("seek",)),
                ):
                    for name in names:
                        setattr(part, name, _delayed(getattr(part, name), delays))
            gone = come(nodes[0], ANNA)
            await seek(nodes[0], gone, "gone", size=13)
            await nodes[0].lobby.seeking.away(nodes[0].lobby.seeking.leave(gone.connection))
            here = [come(node, ANNA) for node in nodes]
            found = await asyncio.gather(
                *(seek(nodes[n % 2], here[n % 2], f"n{n}", size=5 + 2 * (n % 4)) for n in range(6)),
                return_exceptions=True,
            )
            codes = [each.code if isinstance(each, Refused) else each.id for each in found
                     if isinstance(each, Refused | Ok)]  # fmt: skip
            assert len(codes) == 6
            assert set(codes) - {Code.LIMIT} == {each.id for each in found if isinstance(each, Ok)}
            waiting = {who.nonce for who in nodes[0].store.seekers} - {"gone"}
            assert waiting == {f"n{n}" for n, each in enumerate(found) if isinstance(each, Ok)}
            assert len(waiting) == 3

    asyncio.run(race())


def _delayed(work: Any, delays: Iterator[int]) -> Any:
    async def later(*args: Any, **more: Any) -> Any:
        for _ in range(next(delays, 0)):
            await asyncio.sleep(0)
        return await work(*args, **more)

    return later


async def test_a_seek_without_a_note_is_removed(
    nodes: list[Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seeking, "NOTES", 1)
    anna = come(nodes[0], ANNA)
    await seek(nodes[0], anna)
    await nodes[0].lobby.seeking._renew_all()
    assert not [each for each in anna.received() if isinstance(each, Notice)]
    await nodes[1].log.tables.inboxes.drop(ANNA.id, "seek:n")
    await nodes[0].lobby.seeking._renew_all()
    assert [each.kind for each in anna.received() if isinstance(each, Notice)] == ["seek_expired"]
    assert (await seek(nodes[1], come(nodes[1], BERT))).room is None


async def test_unrenewed_seeks_do_not_count(nodes: list[Node]) -> None:
    gone = come(nodes[0], ANNA)
    for size in (5, 7, 9):
        await seek(nodes[0], gone, f"n{size}", size=size)
    nodes[0].lobby.leave(gone.connection)
    await settle()
    assert (await seek(nodes[1], come(nodes[1], ANNA), "n11", size=11)).room is None
    assert (await seek(nodes[1], come(nodes[1], BERT), "m")).room is None


async def test_a_user_with_too_many_rooms_cannot_seek(nodes: list[Node]) -> None:
    nodes[0].rooms.quota._most = 1
    await nodes[0].make()
    anna = come(nodes[0], ANNA)
    assert await code_of(seek(nodes[0], anna)) is Code.LIMIT
    assert await nodes[0].log.tables.inboxes.read(ANNA.id) == {}


async def test_a_paired_seek_cannot_be_cancelled(nodes: list[Node]) -> None:
    anna, bert = come(nodes[0], ANNA), come(nodes[1], BERT)
    await seek(nodes[0], anna)
    assert (await cancel_seek(nodes[0], anna)).room is None
    assert (await seek(nodes[1], bert)).room is None
    answer = await seek(nodes[0], anna, "n2")
    assert (await cancel_seek(nodes[1], bert)).room == answer.room
    assert (await cancel_seek(nodes[0], anna, "never")).room is None


async def test_a_seek_retried_after_its_withdrawal_seeks_nothing(nodes: list[Node]) -> None:
    anna = come(nodes[0], ANNA)
    await seek(nodes[0], anna)
    await cancel_seek(nodes[1], come(nodes[1], ANNA))
    assert await code_of(seek(nodes[0], anna)) is Code.EXPIRED
    assert (await seek(nodes[1], come(nodes[1], BERT))).room is None


@pytest.mark.parametrize("step", ["read", "put", "seek"])
async def test_a_seek_that_is_still_on_its_way_is_withdrawn(
    nodes: list[Node], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """As if the connection had broken off: another node hears of the withdrawal first."""
    anna, again, bert = come(nodes[0], ANNA), come(nodes[1], ANNA), come(nodes[1], BERT)
    source: Any = nodes[0].log.tables.pools if step == "seek" else nodes[0].log.tables.inboxes
    begun, go_on = asyncio.Event(), asyncio.Event()
    known = getattr(source, step)

    async def slow(*args: Any, **more: Any) -> Any:
        monkeypatch.setattr(source, step, known)
        begun.set()
        await go_on.wait()
        return await known(*args, **more)

    monkeypatch.setattr(source, step, slow)
    on_its_way = asyncio.create_task(code_of(seek(nodes[0], anna)))
    await begun.wait()
    assert (await cancel_seek(nodes[1], again)).room is None
    go_on.set()
    assert await on_its_way is Code.EXPIRED
    assert (await seek(nodes[1], bert)).room is None
    assert set(await nodes[0].log.tables.inboxes.read(ANNA.id)) == {"unsought:n"}


async def test_withdrawals_before_a_seek_are_bounded(
    nodes: list[Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seeking, "UNSOUGHT", 2)
    anna = come(nodes[0], ANNA)
    for nonce in ("a", "b", "a"):
        await cancel_seek(nodes[0], anna, nonce)
    assert await code_of(cancel_seek(nodes[0], anna, "c")) is Code.LIMIT
    await seek(nodes[0], anna, "c")
    assert (await seek(nodes[1], come(nodes[1], BERT))).room is not None


async def test_watchers_of_the_lobby_get_every_change_in_order(
    nodes: list[Node], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(view, "INTERVAL", 0.02)
    watchers = [Client(CARL, name) for name in ("pierule.1.msgpack", "pierule.1.json")]
    for watcher in watchers:
        await nodes[0].lobby.watch(watcher.connection, WatchLobby(id=1))
    await seek(nodes[1], come(nodes[1], ANNA))

    async def until(condition: Any) -> None:
        for _ in range(TRIES):
            if condition():
                return
            await asyncio.sleep(0.01)
        raise AssertionError(watchers[0].received()[-1])

    def pools() -> list[int]:
        changes = [m for m in watchers[0].received() if isinstance(m, LobbyChange)]
        return [pool.waiting for change in changes for pool in change.pools]

    await until(lambda: pools() == [1])
    answer = await seek(nodes[0], come(nodes[0], BERT))
    assert answer.room is not None
    await until(lambda: pools() == [1, 0])
    # The pool may be seen empty before the room: only one that was shown can be seen to go.
    await until(lambda: f"Card(room='{answer.room}'" in str(watchers[0].received()))
    await nodes[0].resign(ANNA, answer.room)
    await until(lambda: f"gone=['{answer.room}']" in str(watchers[1].received()[-1]))
    for watcher in watchers:
        ok, first, *changes = watcher.received()
        assert isinstance(ok, Ok)
        assert isinstance(first, LobbyState)
        numbers = [change.seq for change in changes if isinstance(change, LobbyChange)]
        assert numbers == list(range(first.seq + 1, first.seq + 1 + len(changes)))
        assert isinstance(changes[-1], LobbyChange)
        assert changes[-1].gone == [answer.room]


async def test_a_blocked_user_keeps_waiting_and_is_not_told_why(nodes: list[Node]) -> None:
    """By either of the two, at any node; a muted one is paired."""
    await nodes[0].log.tables.block_lists.put("anna", "bert", "block", 10)
    await nodes[0].log.tables.block_lists.put("anna", "carl", "mute", 10)
    for waiting, coming in ((ANNA, BERT), (BERT, ANNA)):
        clients = come(nodes[0], waiting), come(nodes[1], coming)
        nonce = f"w{next(ids)}"
        for node, client in zip(nodes, clients, strict=True):
            answer = await seek(node, client, nonce)
            assert answer == Ok(id=answer.id)
        for node, client in zip(nodes, clients, strict=True):
            await node.ask_lobby(
                client.connection, client.user, CancelSeek(id=next(ids), nonce=nonce)
            )
    await seek(nodes[0], come(nodes[0], ANNA))
    assert (await seek(nodes[1], come(nodes[1], CARL))).room is not None


async def test_a_seek_ends_with_its_lease(nodes: list[Node]) -> None:
    await seek(nodes[0], come(nodes[0], ANNA))
    clock = nodes[0].store.now
    assert isinstance(clock, HeldClock)
    clock.now += LEASE_MS + 1
    assert (await seek(nodes[1], come(nodes[1], BERT))).room is None
