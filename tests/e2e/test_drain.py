"""SIGTERM: clients are told, answered and sent to another node, all within a bound."""

from __future__ import annotations

import asyncio
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Subprotocol

import pierule
from pierule_protocol.codes import Close
from pierule_protocol.messages import Act, Create, Hello, Notice, Ping
from support import stores
from support.peer import Peer, fresh_nonce
from support.serving import Serving

KEYS = {"PIERULE_KEYS": f"k1:{'0' * 32}"}


@pytest.fixture
def store() -> Iterator[stores.Server]:
    """A store of this test's own, because it is paused."""
    with stores.single() as server:
        yield server


@asynccontextmanager
async def nodes(
    folder: Path, store: stores.Server, number: int = 1, *flags: str
) -> AsyncIterator[list[Serving]]:
    started = []
    try:
        for each in range(number):
            (folder / str(each)).mkdir()
            node = Serving(folder / str(each), *flags, store=store.url, environment=KEYS)
            started.append(node)
            await asyncio.to_thread(node.start)
        yield started
    finally:
        for node in started:
            node.clear()


async def ended(node: Serving, bound: float) -> int:
    """The exit code, which comes in time."""
    assert node.process is not None
    return await asyncio.to_thread(node.process.wait, bound)


def stop(node: Serving) -> None:
    assert node.process is not None
    node.process.send_signal(signal.SIGTERM)


def notices(peer: Peer) -> list[Notice]:
    return [message for message in peer.received if isinstance(message, Notice)]


async def playing(node: Serving) -> tuple[Peer, str]:
    """A peer that holds both seats of a running room, which it follows."""
    peer = await Peer.connect(node.url)
    await peer.do(Hello)
    room = (await peer.do(Create, nonce=fresh_nonce(), game="loose", size=5, seat=0)).room
    assert room is not None
    await peer.follow(room, seat=1, nonce=fresh_nonce())
    return peer, room


async def until_turn(room: pierule.Room, turn: int) -> None:
    async for update in room.updates():
        if update.state.turn >= turn:
            return


async def test_draining_notifies_and_closes_every_client(
    tmp_path: Path, store_of_nodes: stores.Server
) -> None:
    async with nodes(tmp_path, store_of_nodes) as [node]:
        peers = [await Peer.connect(node.url, codec) for codec in ("msgpack", "json") * 5]
        for peer in peers[2:]:
            await peer.do(Hello)  # two have not come so far
        stop(node)
        assert {await peer.closed() for peer in peers} == {Close.RESTART}
        assert await ended(node, 60) == 0
        for peer in peers:
            assert notices(peer) == [Notice(kind="draining", seconds=10)]
        assert [entry["connections"] for entry in node.logged if entry["event"] == "draining"] == [
            10
        ]


async def test_a_request_under_way_is_answered_before_draining_closes_it(
    tmp_path: Path, store: stores.Server
) -> None:
    async with nodes(tmp_path, store) as [node]:
        peer, room = await playing(node)
        idle = await Peer.connect(node.url)
        store.pause()
        act = await peer.send(Act, room=room, turn=0, action="komi:12")
        # Answered by the same node, so the request before it in time is under way by now.
        await idle.do(Hello)
        stop(node)
        assert await idle.closed() == Close.RESTART
        await peer.until(lambda: bool(notices(peer)), "the notice")
        assert await asyncio.to_thread(node.asked, "/readyz") == (503, "draining\n")
        assert (await asyncio.to_thread(node.asked, "/healthz"))[0] == 200
        with pytest.raises(InvalidStatus) as refused:
            await connect(node.url, subprotocols=[Subprotocol("pierule.1.json")])
        assert refused.value.response.status_code == 503
        assert refused.value.response.headers["Retry-After"] == "1"
        assert peer.socket.close_code is None
        store.resume()
        assert await peer.closed() == Close.RESTART
        assert act in peer.answers
        assert await ended(node, 60) == 0


async def test_a_second_signal_stops_at_once(tmp_path: Path, store: stores.Server) -> None:
    async with nodes(tmp_path, store, 1, "--drain-seconds", "600", "--store-seconds", "2") as [
        node
    ]:
        peer, room = await playing(node)
        store.pause()
        await peer.send(Act, room=room, turn=0, action="komi:12")
        await peer.send(Ping)
        stop(node)
        await peer.until(lambda: bool(notices(peer)), "the notice")
        stop(node)
        assert await ended(node, 60) == 0
        store.resume()


async def test_a_client_that_does_not_read_does_not_delay_draining(
    tmp_path: Path, store_of_nodes: stores.Server
) -> None:
    """It would take minutes to find out by itself that nobody is there."""
    flags = ("--drain-seconds", "1", "--close-seconds", "1", "--hello-seconds", "600")
    async with nodes(tmp_path, store_of_nodes, 1, *flags) as [node]:
        host, _, port = node.http.partition(":")
        with socket.create_connection((host, int(port)), 10) as deaf:
            deaf.sendall(
                b"GET /ws HTTP/1.1\r\nHost: h\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                b"Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
                b"Sec-WebSocket-Protocol: pierule.1.json\r\n\r\n"
            )
            assert deaf.recv(12) == b"HTTP/1.1 101"
            stop(node)
            assert await ended(node, 60) == 0


async def test_a_game_goes_on_at_the_other_node(
    tmp_path: Path, store_of_nodes: stores.Server
) -> None:
    async with nodes(tmp_path, store_of_nodes, 2) as [first, second]:
        urls = [first.url, second.url]
        async with (
            pierule.connect(urls, name="Ada", patience=30) as ada,
            pierule.connect(urls, name="Bo", patience=30) as bo,
        ):
            mine = await ada.create("loose", 5, seat=0)
            yours = await bo.join(mine.id, seat=1)
            await mine.act("komi:12")
            stop(first)
            async with asyncio.timeout(60):
                for room, turn, action in ((yours, 1, "black"), (yours, 2, "c3"), (mine, 3, "a1")):
                    await until_turn(room, turn)
                    await room.act(action)
                await until_turn(yours, 4)
            assert await ended(first, 60) == 0
            await asyncio.to_thread(
                stores.wait_for,
                lambda: second.measured("pierule_connections") == 2,
                "both at the other node",
            )


async def test_a_client_tries_the_next_node_if_one_is_unreachable(
    tmp_path: Path, store_of_nodes: stores.Server
) -> None:
    async with nodes(tmp_path, store_of_nodes) as [node]:
        with socket.socket() as nobody:
            nobody.bind(("127.0.0.1", 0))
            dead = f"ws://127.0.0.1:{nobody.getsockname()[1]}/ws"
            async with pierule.connect([dead, node.url]) as client:
                assert await client.rooms() is not None
            with pytest.raises(pierule.ConnectionLost):
                async with pierule.connect([dead, dead]):
                    pass
