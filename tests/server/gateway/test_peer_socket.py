"""What one socket costs others: when its handshake is done, and what is left of it."""

from __future__ import annotations

import asyncio
import gc
import socket
from collections.abc import Callable
from weakref import WeakSet

import pytest
from websockets.http11 import Request
from websockets.protocol import Event

from pierule_protocol.codes import Close
from pierule_server.gateway.fair_queue import AT_ONCE
from pierule_server.gateway.frame_bounds import AT_ONCE as FRAMES_AT_ONCE
from pierule_server.gateway.peer_socket import PeerSocket
from support.raw import PING, Raw, masked, request
from support.session import listening

BOUND = 60.0


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(BOUND):
        while not condition():  # noqa: ASYNC110 - nobody tells of these things
            await asyncio.sleep(0.01)


async def test_of_many_handshakes_only_some_are_done_in_one_turn_of_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loop, turns = asyncio.get_running_loop(), [0]

    def turn() -> None:
        turns.append(0)
        ticking[0] = loop.call_soon(turn)

    async with listening() as (playground, url):
        greet = playground.listener.greet

        def counted(peer: PeerSocket, asked: Request) -> None:
            turns[-1] += 1
            greet(peer, asked)

        monkeypatch.setattr(playground.listener, "greet", counted)
        host, port = url.removeprefix("ws://").removesuffix("/ws").split(":")
        lines = [
            await asyncio.to_thread(socket.create_connection, (host, int(port))) for _ in range(30)
        ]
        await until(lambda: len(playground.listener._door.handshaking) == len(lines))
        ticking = [loop.call_soon(turn)]
        for line in lines:  # without a turn in between
            line.sendall(request(url))
        lines.pop().close()  # this one does not wait for the answer
        await until(lambda: sum(turns) >= len(lines))
        ticking[0].cancel()
        assert max(turns) == AT_ONCE
        answers = [await asyncio.to_thread(line.recv, 4_096) for line in lines]
        assert all(b" 101 " in answer for answer in answers)
        for line in lines:
            line.close()


async def test_what_comes_after_too_many_frames_is_not_even_parsed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One read of the socket can bring tens of thousands of frames. The library parses all that it
    is given, before anybody can say that they are too many."""
    parsed: list[Event] = []
    process_event = PeerSocket.process_event

    def noted(peer: PeerSocket, event: Event) -> None:
        parsed.append(event)
        process_event(peer, event)

    monkeypatch.setattr(PeerSocket, "process_event", noted)
    ping = masked(PING, b"")
    async with listening(buffer_bytes=1_000_000) as (_, url):
        with await asyncio.to_thread(Raw, url) as raw:
            raw.write(ping * 30_000)
            assert await asyncio.to_thread(raw.closed) == Close.FLOODING
    assert FRAMES_AT_ONCE < len(parsed) < FRAMES_AT_ONCE + 300


async def test_a_socket_that_has_ended_needs_no_garbage_collector(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = WeakSet[PeerSocket]()
    connection_made = PeerSocket.connection_made

    def noted(peer: PeerSocket, transport: asyncio.BaseTransport) -> None:
        made.add(peer)
        connection_made(peer, transport)

    monkeypatch.setattr(PeerSocket, "connection_made", noted)
    async with listening(connections_per_address=1) as (_, url):
        gc.disable()
        try:
            with await asyncio.to_thread(Raw, url) as accepted:
                await asyncio.to_thread(accepted.hello)
                with (
                    await asyncio.to_thread(Raw, url) as refused,
                    await asyncio.to_thread(Raw, url) as unanswered,
                ):
                    assert (refused.status, unanswered.status) == (429, 0)
            await until(lambda: not made)
            with await asyncio.to_thread(Raw, url, "xml") as malformed:
                assert malformed.status == 400
            with await asyncio.to_thread(Raw, url.removesuffix("ws")) as visitor:
                assert visitor.status == 200
            await until(lambda: not made)
        finally:
            gc.enable()
