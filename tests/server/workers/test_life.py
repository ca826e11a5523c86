"""A worker's life, without a process: what it says last, and when it hangs."""

from __future__ import annotations

import asyncio
import socket
from types import SimpleNamespace
from typing import Any, cast

import msgspec

from pierule_server.workers.channel import Channel
from pierule_server.workers.life import SILENCE, Life
from pierule_server.workers.messages import AnyToWorker, Begun, Family, Measured, Taken

DOWN: msgspec.msgpack.Decoder[AnyToWorker] = msgspec.msgpack.Decoder(AnyToWorker)


class Process:
    """A process that ends when it is told so."""

    pid = 7

    def __init__(self) -> None:
        self.end = asyncio.Event()
        self.returncode: int | None = None

    async def wait(self) -> int:
        await self.end.wait()
        self.returncode = 0
        return 0


async def test_the_last_messages_of_a_worker_count() -> None:
    ours, theirs = socket.socketpair()
    process, given_back = Process(), list[socket.socket]()
    company: Any = SimpleNamespace(give_back=lambda connected, _: given_back.append(connected))
    life = Life(1, cast("Any", process), ours, company)
    client, server = socket.socketpair()
    life.take(server, None)
    worker = Channel(theirs, DOWN, lambda *_: None)
    process.end.set()
    families = [Family("pierule_requests", "Requests", "counter", [])]
    for message in (Begun(1), Taken(1), Measured(0, families)):
        worker.send(message)
    worker.close()
    assert await life.ended == 0
    assert given_back == []
    assert life.families == families
    assert not life.serving.result()
    client.close()


async def test_a_worker_hangs_if_it_is_stuck_for_long() -> None:
    ours, theirs = socket.socketpair()
    process = Process()
    life = Life(1, cast("Any", process), ours, cast("Any", None))
    clock = SimpleNamespace(now=life.heard)
    life._loop = cast("Any", SimpleNamespace(time=lambda: clock.now))
    clock.now += 1_000
    assert not life.hangs(60)  # It may have said something that nobody has read yet.
    clock.now += 59
    assert not life.hangs(60)
    clock.now += 2
    assert life.hangs(60)
    life.heard = clock.now
    assert not life.hangs(60)
    clock.now += SILENCE + 1
    assert not life.hangs(60)
    theirs.close()
    process.end.set()
    await life.ended


async def test_a_worker_without_a_channel_is_stuck() -> None:
    ours, theirs = socket.socketpair()
    process = Process()
    life = Life(1, cast("Any", process), ours, cast("Any", None))
    began = life.heard
    life._loop = cast("Any", SimpleNamespace(time=lambda: began))
    assert not life.stuck
    theirs.close()
    async with asyncio.timeout(60):
        while not life.stuck:  # noqa: ASYNC110
            await asyncio.sleep(0)
    process.end.set()
    await life.ended
