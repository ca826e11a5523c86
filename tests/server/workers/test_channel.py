"""Messages and open connections over a real pair of sockets."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import msgspec
import pytest

from pierule_server.workers.channel import CLOGGED, Channel
from pierule_server.workers.messages import (
    AnyFromWorker,
    AnyToWorker,
    Family,
    Left,
    Measure,
    Measured,
    Sample,
    Take,
)

DOWN: msgspec.msgpack.Decoder[AnyToWorker] = msgspec.msgpack.Decoder(AnyToWorker)
UP: msgspec.msgpack.Decoder[AnyFromWorker] = msgspec.msgpack.Decoder(AnyFromWorker)


class Heard:
    """What came, and a way to wait for it."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self.passed: list[socket.socket | None] = []
        self._came = asyncio.Event()

    def receive(self, message: Any, passed: socket.socket | None) -> None:
        self.messages.append(message)
        self.passed.append(passed)
        self._came.set()

    async def until(self, number: int) -> None:
        async with asyncio.timeout(60):
            while len(self.messages) < number:
                self._came.clear()
                await self._came.wait()


async def test_connections_come_with_their_messages_and_with_what_was_sent() -> None:
    ours, theirs = socket.socketpair()
    heard = Heard()
    sender = Channel(ours, UP, heard.receive)
    receiver = Channel(theirs, DOWN, heard.receive, (Take,))
    clients, servers = [], []
    for serial in range(200):
        client, server = socket.socketpair()
        client.send(b"%d" % serial)
        clients.append(client)
        sender.send(Measure(serial))
        sender.send(Take(serial, "192.0.2.1", crowded=False), server)
        servers.append(server)
    await heard.until(400)
    taken = [pair for pair in zip(heard.messages, heard.passed, strict=True) if pair[1]]
    assert [message.serial for message, _ in taken] == list(range(200))
    for serial, (_, passed) in enumerate(taken):
        assert passed is not None
        with passed:
            assert passed.recv(10) == b"%d" % serial
    for end in (*clients, *servers):
        end.close()
    sender.close()
    receiver.close()


async def test_long_messages_come_whole() -> None:
    ours, theirs = socket.socketpair()
    heard = Heard()
    sender = Channel(theirs, DOWN, heard.receive)
    receiver = Channel(ours, UP, heard.receive)
    families = [Family("a" * 500, "b", "counter", [Sample("c", {"d": "e"}, 1.5)] * 100)] * 100
    for number in range(5):
        sender.send(Measured(number, families))
        sender.send(Left(number))
    await heard.until(10)
    assert heard.messages[8] == Measured(4, families)
    sender.close()
    receiver.close()


async def test_a_peer_that_does_not_read_is_noticed_and_one_that_is_gone_hurts_nobody() -> None:
    ours, theirs = socket.socketpair()
    sender = Channel(ours, UP, Heard().receive)
    while not sender.clogged:
        sender.send(Left(1))
    theirs.close()
    sender.close()
    sender.send(Left(1))
    assert CLOGGED > 10


@pytest.mark.parametrize("end", [0, 1])
async def test_the_end_of_one_side_ends_the_other(end: int) -> None:
    pair = socket.socketpair()
    channel = Channel(pair[end], UP, Heard().receive)
    pair[1 - end].close()
    async with asyncio.timeout(60):
        while pair[end].fileno() >= 0:  # noqa: ASYNC110
            await asyncio.sleep(0)
    channel.close()
