"""The position check itself, over a store that is a table."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Collection
from contextlib import asynccontextmanager

import pytest

from pierule_protocol.log.events import Place
from pierule_server.rooms import place_check
from pierule_server.rooms.place_check import PlaceCheck

BOUND = 60.0
OLD, NEW = Place(1, 1, 11), Place(1, 2, 22)


class Rooms:
    """Rooms that are all watched; those in `stuck` are never done with their repair."""

    def __init__(self, *rooms: str, stuck: Collection[str] = ()) -> None:
        self.places = dict.fromkeys(rooms, OLD)
        self.ended = dict.fromkeys(rooms, NEW)
        self.begun: list[str] = []
        self.stopped = asyncio.Event()
        self.stuck = stuck
        self.current = asyncio.Event()
        self.positions = PlaceCheck(self.watched, self.known, self.ends, self.repair)

    def watched(self) -> Collection[str]:
        return self.places

    def known(self, rooms: Collection[str]) -> dict[str, Place]:
        return {room: self.places[room] for room in rooms}

    async def ends(self, rooms: Collection[str]) -> dict[str, Place]:
        return {room: self.ended[room] for room in rooms}

    async def repair(self, room: str, deaf: bool) -> None:
        self.begun.append(room)
        if room in self.stuck:
            try:
                await asyncio.Event().wait()
            finally:
                for _ in range(3):  # what ends may still have to wait for something
                    await asyncio.sleep(0)
                self.stopped.set()
        self.places[room] = self.ended[room]
        if all(place == NEW for room, place in self.places.items() if room not in self.stuck):
            self.current.set()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(place_check, "INTERVAL", 0.2)
    monkeypatch.setattr(place_check, "GRACE", 0.01)


@asynccontextmanager
async def checked(rooms: Rooms) -> AsyncIterator[None]:
    """A place check that runs meanwhile."""
    running = asyncio.create_task(rooms.positions.run())
    try:
        yield
    finally:
        running.cancel()
        await asyncio.wait([running])


@pytest.mark.parametrize("doubted", [True, False])
async def test_repairs_do_not_wait_for_each_other(doubted: bool) -> None:
    rooms = Rooms(*"abcdefghijkl", stuck="af")
    async with checked(rooms):
        if doubted:
            rooms.positions.doubt(rooms.stuck)
            await asyncio.sleep(0)
        async with asyncio.timeout(BOUND):
            await rooms.current.wait()


async def test_a_room_has_one_repair_at_a_time_and_later_doubt_is_kept() -> None:
    rooms = Rooms("a", "b", stuck="a")
    async with checked(rooms):
        rooms.positions.doubt(["a"])
        async with asyncio.timeout(BOUND):
            await rooms.current.wait()
            for number in range(20):
                rooms.places["b"], rooms.current = OLD, asyncio.Event()
                rooms.positions.doubt(["a", "b"])
                await rooms.current.wait()
                assert rooms.begun.count("b") == number + 2
        assert rooms.begun.count("a") == 1
        assert "a" in rooms.positions._doubted


async def test_no_repair_outlives_the_place_check() -> None:
    rooms = Rooms("a", "b", stuck="a")
    async with checked(rooms):
        rooms.positions.doubt(["a", "b"])
        async with asyncio.timeout(BOUND):
            await rooms.current.wait()
        assert "a" in rooms.begun
    assert rooms.stopped.is_set()
