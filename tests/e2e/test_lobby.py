"""Finding each other over several nodes, some of which are killed (SPEC 23)."""

from __future__ import annotations

import asyncio
import json
import random
import secrets
from collections import Counter
from collections.abc import Iterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path

import pytest

import pierule
from e2e.conftest import Opener, Starter
from pierule_protocol.log.controls import Fischer
from pierule_protocol.messages import (
    CancelSeek,
    LobbyChange,
    LobbyState,
    MyRoomsQuery,
    Notice,
    Ok,
    Paired,
    Pool,
    Resign,
    Seek,
    WatchLobby,
)
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.tables.pools import Overdue, PoolKey, Seeker
from support import stores
from support.listening import RecordingListener
from support.peer import Peer, fresh_nonce
from support.serving import Serving

KEYS = "k1:" + "0123456789abcdef" * 4
BOUND = 60.0


@pytest.fixture
def store(tmp_path: Path) -> Iterator[stores.Server]:
    """A store of its own."""
    with stores.single() as server:
        yield server


@pytest.fixture
def nodes(start: Starter, store: stores.Server) -> list[Serving]:
    return [start(store=store.url, keys=KEYS) for _ in range(2)]


async def paired(peer: Peer, nonce: str) -> Paired:
    """What a peer is told of its seek."""

    def told() -> list[Paired]:
        return [m for m in peer.received if isinstance(m, Paired) and m.nonce == nonce]

    await peer.until(lambda: bool(told()), f"paired {nonce}")
    return told()[0]


async def empty(url: str) -> None:
    """Wait until the lobby of a node is empty."""
    async with asyncio.timeout(BOUND), pierule.connect(url) as client:
        async for view in client.lobby():
            if not view.rooms and not view.pools:
                return


async def test_an_abandoned_pairing_is_carried_out(
    nodes: list[Serving], store: stores.Server, opener: Opener
) -> None:
    """As if the node that has decided had been killed the moment after."""
    first, second = await opener(nodes[0].url, "Ada"), await opener(nodes[1].url, "Bea")
    nonces = fresh_nonce(), fresh_nonce()
    clock = Fischer(main=300, increment=3)
    await first.do(Seek, nonce=nonces[0], game="loose", size=9, clock=clock)
    log = await RedisRoomLog.open(store.url, RecordingListener())
    try:
        who = Seeker(second.user, nonces[1], "Bea")
        pool = PoolKey("loose", 9, clock)
        decided = await log.tables.pools.seek("seek", pool, who, secrets.token_hex(8))
        assert isinstance(decided, Overdue)
        told = [await paired(first, nonces[0]), await paired(second, nonces[1])]
        assert told[0].room == told[1].room
        assert {each.seat for each in told} == {0, 1}
        assert await log.tables.pools.seek("seek", pool, who, secrets.token_hex(8)) == decided
        assert len(await log.read(told[0].room)) == 1
        stores.wait_for(lambda: not store.command("KEYS", "*pairings"), "the pairing's end")
    finally:
        await log.close()


async def test_a_returning_user_learns_of_the_pairing_at_once(
    nodes: list[Serving], opener: Opener
) -> None:
    first, second = await opener(nodes[0].url, "Ada"), await opener(nodes[1].url, "Bea")
    nonce = fresh_nonce()
    await first.do(Seek, nonce=nonce, game="taugo", size=6)
    nodes[0].kill()  # its lease lasts a while
    answer = await second.do(Seek, nonce=fresh_nonce(), game="taugo", size=6)
    assert isinstance(answer, Ok)
    assert answer.room is not None
    back = await opener(nodes[1].url, token=first.token)
    told = await paired(back, nonce)
    assert told.room == answer.room
    again = await back.do(Seek, nonce=nonce, game="taugo", size=6)
    assert isinstance(again, Ok)
    assert (again.room, again.seats) == (told.room, [told.seat])
    mine = await back.do(MyRoomsQuery)
    assert isinstance(mine, Ok)
    assert [(each.card.room, each.seats, each.to_act) for each in mine.my_rooms or []] == [
        (told.room, [told.seat], 0)
    ]


async def test_after_hello_only_pairings_that_go_on_are_told(
    nodes: list[Serving], opener: Opener
) -> None:
    """Those whose rooms are over are left out, but whoever seeks again still gets their rooms."""
    first, second = await opener(nodes[0].url, "Ada"), await opener(nodes[1].url, "Bea")
    nonces = [fresh_nonce() for _ in range(3)]
    for nonce in nonces:
        await first.do(Seek, nonce=nonce, game="taugo", size=6)
        await second.do(Seek, nonce=fresh_nonce(), game="taugo", size=6)
    told = {nonce: await paired(first, nonce) for nonce in nonces}
    assert len({each.room for each in told.values()}) == 3
    *over, going_on = nonces
    for nonce in over:
        await second.follow(told[nonce].room)
        await second.do(Resign, room=told[nonce].room, nonce=fresh_nonce())
    for node in nodes:
        back = await opener(node.url, token=first.token)
        assert await paired(back, going_on) == told[going_on]
        await back.do(MyRoomsQuery)  # answered after whatever came with it
        again = [m.nonce for m in back.received if isinstance(m, Paired)]
        assert again == [going_on]
        for nonce in over:
            answer = await back.do(Seek, nonce=nonce, game="taugo", size=6)
            assert isinstance(answer, Ok)
            assert answer.room == told[nonce].room


async def test_an_unrenewed_lease_ends(nodes: list[Serving], opener: Opener) -> None:
    first, second = await opener(nodes[0].url), await opener(nodes[1].url)
    await second.do(WatchLobby)
    await first.do(Seek, nonce=fresh_nonce(), game="taugo", size=7)

    def waiting() -> int:
        pools: dict[tuple[str, int], Pool] = {}
        for message in second.received:
            if isinstance(message, LobbyState | LobbyChange):
                pools |= {(pool.game, pool.size): pool for pool in message.pools}
        return pools["taugo", 7].waiting if pools else 0

    await second.until(lambda: waiting() == 1, "somebody who waits")
    nodes[0].kill()
    await second.until(lambda: waiting() == 0, "nobody who waits")
    answer = await second.do(Seek, nonce=fresh_nonce(), game="taugo", size=7)
    assert isinstance(answer, Ok)
    assert answer.room is None


async def test_each_number_of_the_lobby_means_one_state(
    nodes: list[Serving], opener: Opener
) -> None:
    """Also if nobody has watched in between (SPEC 23.7)."""
    peer = await opener(nodes[0].url)

    def told() -> list[LobbyState | LobbyChange]:
        return [each for each in peer.received if isinstance(each, LobbyState | LobbyChange)]

    def waits(size: int) -> bool:
        return any(pool.size == size for each in told() for pool in each.pools)

    for size in (5, 7, 9):
        nonce = fresh_nonce()
        await peer.do(Seek, nonce=nonce, game="loose", size=size)
        await peer.do(WatchLobby)
        await peer.until(lambda size=size: waits(size), f"the pool of {size}")  # type: ignore[misc]
        await peer.do(WatchLobby, watch=False)
        await peer.do(CancelSeek, nonce=nonce)
    assert len({each.seq for each in told()}) == len(told())


async def test_a_user_is_told_of_a_seek_lost_by_the_store(
    nodes: list[Serving], store: stores.Server, opener: Opener
) -> None:
    peer = await opener(nodes[0].url)
    nonce = fresh_nonce()
    await peer.do(Seek, nonce=nonce, game="taugo", size=8)
    for key in store.command("KEYS", "*seeks"):
        store.command("DEL", key)
    notice = Notice(kind="seek_expired", nonce=nonce)
    await peer.until(lambda: notice in peer.received, "news of the seek")


async def test_the_lobby_counts_the_audience_of_all_nodes(
    nodes: list[Serving], opener: Opener
) -> None:
    async with AsyncExitStack() as stack:
        clients = [
            await stack.enter_async_context(pierule.connect(nodes[number % 2].url))
            for number in range(4)
        ]
        room = await clients[0].create("loose", 5, seat=0)
        for client in clients:
            await client.join(room.id)
        async with asyncio.timeout(BOUND):
            async for view in clients[1].lobby():
                if [(each.card.room, each.spectators) for each in view.rooms] == [(room.id, 3)]:
                    break
        second = await clients[1].join(room.id, seat=1)
        await second.resign()
    await empty(nodes[1].url)


@dataclass
class Fate:
    """What became of one who seeks."""

    user: str
    rooms: set[str] = field(default_factory=set)
    left: bool = False


async def seek(nodes: list[Serving], number: int, rng: random.Random, fate: Fate) -> None:
    """Seek through everything: one's connection is cut, one leaves for good, one just waits."""
    urls = [node.url for node in nodes]
    rng.shuffle(urls)
    await asyncio.sleep(rng.uniform(0, 6))
    told = fate.rooms.add  # what the lobby still makes of a pairing may not be listed yet
    async with pierule.connect(urls, name=f"u{number}", on_paired=told) as client:
        fate.user = client.user
        clock = rng.choice(["5+3", "30s/action"])
        waiting = asyncio.create_task(client.seek("loose", 5, clock))
        for _ in range(rng.choice([0, 0, 1, 2])):
            done, _ = await asyncio.wait({waiting}, timeout=rng.uniform(0, 3))
            if not done and client._session._requests.connection is not None:
                client._session._requests.connection._socket.transport.abort()
        if rng.random() < 0.2:
            done, _ = await asyncio.wait({waiting}, timeout=rng.uniform(0, 3))
            waiting.cancel()
        done, _ = await asyncio.wait({waiting}, timeout=25)
        if not done:
            waiting.cancel()
            await asyncio.wait({waiting})
        if waiting.cancelled():
            fate.left = True
        else:
            fate.rooms.add(waiting.result().id)
        fate.rooms |= {each.card.room for each in await client.my_rooms()}
        for room_id in list(fate.rooms):
            room = await client.join(room_id)
            try:
                await room.resign()
            except pierule.Refused as refused:  # the other was faster
                if refused.code != pierule.Code.FINISHED:
                    raise


async def test_a_storm_of_seekers_is_paired_once_each(
    start: Starter, store: stores.Server, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hundreds who seek at random; a node is killed amid it. Nobody is paired twice, nobody is in
    a room without knowing, and at the end the lobby is empty."""
    # Who gives up without an answer to that cannot know whether it was too late.
    monkeypatch.setattr(pierule.client, "WITHDRAWING", BOUND)
    # A busy machine lets some of so many wait before they can say hello.
    limits = ("--rooms-per-user", "50", "--hello-seconds", "60")
    nodes = [start(*limits, store=store.url, keys=KEYS) for _ in range(3)]
    rng = random.Random(seed)
    fates = [Fate("") for _ in range(200)]
    dice = [random.Random(f"{seed} {number}") for number in range(len(fates))]
    storm = asyncio.gather(
        *(seek(nodes, number, dice[number], fate) for number, fate in enumerate(fates))
    )
    await asyncio.sleep(rng.uniform(2, 4))
    nodes[0].kill()
    async with asyncio.timeout(5 * BOUND):
        await storm
    rooms: Counter[str] = Counter()
    log = await RedisRoomLog.open(store.url, RecordingListener())
    try:
        keys = [key.decode() for key in store.command("KEYS", "*}log:*")]
        for room in (key.partition("log:")[2] for key in keys):
            entries = await log.read(room)
            created = json.loads(entries[0].record)
            players = [holder["user"] for holder in created["players"]]
            assert len(set(players)) == 2
            rooms.update(players)
            assert json.loads(entries[-1].record)["kind"] in {"resigned", "flagged", "aborted"}
            for fate in fates:
                # Whoever left may have done so before they could hear of a game that was over.
                knows = room in fate.rooms or fate.left
                assert knows if fate.user in players else room not in fate.rooms, room
        assert set(rooms.values()) == {1}
        unpaired = [fate for fate in fates if fate.user not in rooms]
        assert all(fate.left for fate in unpaired)
        assert len(rooms) > 100
        assert (await log.tables.pools.sweep())[0] == []
    finally:
        await log.close()
    for node in nodes[1:]:
        await empty(node.url)
