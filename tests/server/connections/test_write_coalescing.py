"""What leaves together, and that nothing stays behind."""

from __future__ import annotations

import asyncio

import pytest

from pierule_server.connections import connection
from pierule_server.connections.connection import MANY, WriteCoalescer


class Peer:
    """Somebody to whom messages are sent; notes how many went in each write."""

    def __init__(self, shared: WriteCoalescer) -> None:
        self.coalescer = shared
        self.waiting = 0
        self.writes: list[int] = []
        self.written = asyncio.Event()

    def push(self) -> None:
        self.waiting += 1
        if self.waiting == 1:
            self.coalescer.add(self)

    def flush(self) -> None:
        if self.waiting:
            self.writes.append(self.waiting)
            self.waiting = 0
            self.written.set()


async def turn() -> None:
    """The turn that has begun, with the tasks that it wakes, and its end."""
    for _ in range(3):
        await asyncio.sleep(0)


@pytest.mark.parametrize("number", [1, MANY - 1])
async def test_few_writes_are_flushed_every_turn(
    number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection, "REST", 3_600)
    shared = WriteCoalescer()
    peers = [Peer(shared) for _ in range(number)]
    for _ in range(3):
        for peer in peers:
            peer.push()
            peer.push()
        await turn()
    assert all(peer.writes == [2, 2, 2] for peer in peers)


async def test_a_pause_follows_many_writes(monkeypatch: pytest.MonkeyPatch) -> None:
    """What comes within it leaves together, at its end; then turns are turns again."""
    monkeypatch.setattr(connection, "REST", 0.05)
    shared = WriteCoalescer()
    peers = [Peer(shared) for _ in range(MANY)]
    for peer in peers:
        peer.push()
    await turn()
    assert all(peer.writes == [1] for peer in peers)
    first = peers[0]
    first.written.clear()
    for _ in range(3):
        first.push()
        await turn()
    assert first.writes == [1]
    async with asyncio.timeout(60):
        await first.written.wait()
    assert first.writes == [1, 3]
    first.push()
    await turn()
    assert first.writes == [1, 3, 1]


async def test_an_urgent_write_ends_the_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    """A connection that fails has all of them flushed, and the rest's end finds nothing to do."""
    monkeypatch.setattr(connection, "REST", 0.01)
    shared = WriteCoalescer()
    peers = [Peer(shared) for _ in range(MANY)]
    for peer in peers:
        peer.push()
    await turn()
    for peer in peers:
        peer.push()
    shared.flush()
    assert all(peer.writes == [1, 1] for peer in peers)
    await asyncio.sleep(0.02)
    for peer in peers:
        peer.push()
    await turn()
    assert all(peer.writes == [1, 1, 1] for peer in peers)
