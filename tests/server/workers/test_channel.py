"""Messages and open connections over a real pair of sockets."""

from __future__ import annotations

import asyncio
import errno
import os
import resource
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest

from pierule_server.workers import channel as channels
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


async def test_long_messages_arrive_whole() -> None:
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


@contextmanager
def no_descriptor_left() -> Iterator[None]:
    """This process can open nothing more."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    free = os.dup(0)
    os.close(free)
    resource.setrlimit(resource.RLIMIT_NOFILE, (free, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


async def test_a_message_comes_also_if_there_is_no_descriptor_for_its_connection() -> None:
    """And no other message gets the connection of the next one."""
    ours, theirs = socket.socketpair()
    heard = Heard()
    receiver = Channel(theirs, DOWN, heard.receive, (Take,))
    taken = [msgspec.msgpack.encode(Take(serial, None, crowded=False)) for serial in (1, 2)]
    first, second = (len(data).to_bytes(4) + data for data in taken)
    client, server = socket.socketpair()
    with ours, client, server:
        socket.send_fds(ours, [first[:5]], [server.fileno()])
        with no_descriptor_left():
            receiver._read()
        ours.send(first[5:])
        socket.send_fds(ours, [second], [server.fileno()])
        await heard.until(2)
        lost, passed = heard.passed
        assert lost is None
        assert passed is not None
        passed.close()
    receiver.close()


async def test_a_message_that_fails_does_not_stop_the_others() -> None:
    ours, theirs = socket.socketpair()
    heard = Heard()

    def receive(message: Any, passed: socket.socket | None) -> None:
        assert message != Left(1)
        heard.receive(message, passed)

    sender, receiver = Channel(theirs, DOWN, heard.receive), Channel(ours, UP, receive)
    for serial in (1, 2, 3):
        sender.send(Left(serial))
    await heard.until(2)
    assert heard.messages == [Left(2), Left(3)]
    sender.close()
    receiver.close()


class Full(socket.socket):
    """A socket for whose messages the system has no room."""

    errors: list[int]

    def send(self, *arguments: Any) -> int:
        if self.errors:
            raise OSError(self.errors.pop(), "no room")
        return super().send(*arguments)


async def test_sending_is_retried_when_the_system_has_no_room(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(channels, "AGAIN", 0)
    ours, theirs = socket.socketpair()
    heard = Heard()
    full = Full(fileno=theirs.detach())
    full.errors = [errno.ETOOMANYREFS, errno.ENOBUFS, errno.ENOMEM]
    sender, receiver = Channel(full, DOWN, heard.receive), Channel(ours, UP, heard.receive)
    for serial in (1, 2):
        sender.send(Left(serial))
    await heard.until(2)
    assert heard.messages == [Left(1), Left(2)]
    assert not sender.clogged
    sender.close()
    receiver.close()


async def test_messages_sent_before_the_end_are_received() -> None:
    ours, theirs = socket.socketpair()
    heard, lost = Heard(), asyncio.Event()
    receiver = Channel(ours, UP, heard.receive, lost=lost.set)
    receiver.send(Measure(1))
    sender = Channel(theirs, DOWN, heard.receive)
    for serial in (1, 2):
        sender.send(Left(serial))
    sender.close()
    receiver.send(Measure(2))
    assert receiver.clogged
    receiver.finish()
    assert heard.messages == [Left(1), Left(2)]
    assert lost.is_set()
