"""What a worker answers its supervisor."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import msgspec

from pierule_server.workers.channel import Channel
from pierule_server.workers.messages import AnyFromWorker, Left, Take
from pierule_server.workers.worker import Worker

UP: msgspec.msgpack.Decoder[AnyFromWorker] = msgspec.msgpack.Decoder(AnyFromWorker)


async def test_a_connection_that_did_not_arrive_counts_as_ended() -> None:
    ours, theirs = socket.socketpair()
    answers: asyncio.Queue[Any] = asyncio.Queue()
    supervisor = Channel(ours, UP, lambda message, _: answers.put_nowait(message))
    worker = Worker(theirs, lambda: None)
    supervisor.send(Take(7, "192.0.2.1", crowded=False))
    async with asyncio.timeout(60):
        assert await answers.get() == Left(7)
    await worker.end()
    supervisor.close()


async def test_a_worker_ends_when_its_channel_does() -> None:
    ours, theirs = socket.socketpair()
    lost = asyncio.Event()
    worker = Worker(theirs, lost.set)
    ours.close()
    async with asyncio.timeout(60):
        await lost.wait()
    await worker.end()
