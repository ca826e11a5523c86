"""Pages of rooms: the same for every kind of store."""

from __future__ import annotations

import secrets
from typing import Any, Literal

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pierule_protocol.log.controls import Correspondence
from pierule_protocol.log.events import EMPTY, Place
from pierule_protocol.messages import Card
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.tables import paging
from pierule_server.store.tables.paging import OPEN, PARTS, STAY, Part, Position, RoomFilter
from pierule_server.terms import AppendOptions, Deadline
from support.backend import Backend
from support.examples import up_to
from support.logs import pages

HERE = 60_000

CARD = Card(room="r", game="g", size=9, status="open", names=("Ada", None), turn=0, at=0)


class Rooms:
    """Rooms of a game that no other test lists."""

    def __init__(self, log: RedisRoomLog) -> None:
        self.log = log
        self.game = f"game-{secrets.token_hex(6)}"
        self.wanted = RoomFilter(game=self.game)
        self.places: dict[str, Place] = {}
        self.parts: dict[str, Part] = {}

    async def put(self, part: Part, room: str | None = None, **fields: Any) -> str:
        """Have a room be in this part, or stay there."""
        room = room or f"{self.game}-{len(self.places)}"
        status: Literal["open", "running"] = "running" if part == "running" else "open"
        fields = {"room": room, "game": self.game, "status": status, **fields}
        card = msgspec.structs.replace(CARD, **fields)
        stay = STAY[isinstance(card.control, Correspondence)] + HERE * (part == "here")
        terms = AppendOptions(msgspec.json.encode(card), Deadline("idle", stay))
        entry = await self.log.append(room, self.places.get(room, EMPTY), b"{}", terms)
        self.places[room], self.parts[room] = entry.place, part
        return room

    async def end(self, room: str) -> None:
        await self.log.append(room, self.places[room], b"{}", AppendOptions(None))
        del self.parts[room]

    async def listed(self, **wanted: Any) -> list[str]:
        found = pages(self.log, RoomFilter(game=self.game, **wanted), 7)
        return [each.room async for page in found for each in page]


parts = st.sampled_from(PARTS)
changes = st.lists(
    st.tuples(st.sampled_from(["make", "act", "begin", "end"]), st.integers(0, 99), parts),
    max_size=4,
)


@given(st.lists(parts, max_size=24), st.integers(1, 6), st.lists(changes, max_size=8))
@settings(
    max_examples=up_to(25),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
async def test_pages_list_each_remaining_room_once(
    backend: Backend, made: list[Part], limit: int, happens: list[Any]
) -> None:
    """Whatever rooms come, change and go between two pages."""
    rooms = Rooms(await backend.log())
    for part in made:
        await rooms.put(part)
    before, moved = dict(rooms.parts), set[str]()
    told: list[paging.Listed] = []
    async for page in pages(rooms.log, rooms.wanted, limit):
        told += page
        for what, which, part in happens.pop() if happens else ():
            known = sorted(rooms.parts)
            if what == "make":
                await rooms.put(part)
            elif known:
                room = known[which % len(known)]
                if what == "end":
                    await rooms.end(room)
                elif what == "act":
                    await rooms.put(rooms.parts[room], room)
                else:
                    moved |= {room} if rooms.parts[room] != "running" else set()
                    await rooms.put("running", room)
    for log in backend.logs:
        await log.close()
    backend.logs.clear()
    names = [each.room for each in told]
    stayed = before.keys() & rooms.parts.keys() - moved
    assert {room: names.count(room) for room in stayed} == dict.fromkeys(stayed, 1)
    assert len(set(names) - moved) == len([name for name in names if name not in moved])
    assert sorted(told, key=lambda each: (PARTS.index(each.part), -each.score)) == told or moved
    assert all(
        each.part == before.get(each.room, each.part) for each in told if each.room in stayed
    )


async def test_rooms_whose_maker_is_away_come_last(backend: Backend) -> None:
    rooms = Rooms(await backend.log())
    clock = Correspondence(days=3)
    made = [await rooms.put("here", control=clock), await rooms.put("running")]
    gone = [await rooms.put("away"), await rooms.put("away", control=clock)]
    made.insert(0, await rooms.put("here"))
    # Other tests' rooms are in the same store: a page may end before it has found all.
    listed = [each async for page in pages(rooms.log, rooms.wanted, 9) for each in page]
    names = [each.room for each in listed]
    assert (set(names[:2]), names[2], set(names[3:])) == ({made[0], made[1]}, made[2], set(gone))
    assert [each.card.away for each in listed] == [False] * 3 + [True] * 2


async def test_pages_list_only_rooms_that_match_the_filter(backend: Backend) -> None:
    rooms = Rooms(await backend.log())
    first = await rooms.put("here", names=(None, '"size":7,null],"turn":'))
    small = await rooms.put("away", size=7, names=('"names":[null,', None))
    runs = await rooms.put("running", names=("Ada", "Bea"))
    assert await rooms.listed() == [first, runs, small]
    assert await rooms.listed(status="open") == [first, small]
    assert await rooms.listed(status="running") == [runs]
    assert await rooms.listed(size=7) == [small]
    assert await rooms.listed(free_seat=0) == [first]
    assert await rooms.listed(free_seat=1) == [small]
    assert await rooms.listed(free_seat="any") == [first, small]
    assert await rooms.listed(free_seat="any", status="running") == []


async def test_a_page_reads_a_bounded_number_of_rooms(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paging, "ROUNDS", 1)
    monkeypatch.setattr("pierule_server.store.tables.listing.SCANNED", 2)
    rooms = Rooms(await backend.log())
    kept = [await rooms.put("here", size=7)]
    kept += [await rooms.put("here") for _ in range(300)]
    assert await rooms.listed(size=7) == kept[:1]
    assert sorted(await rooms.listed()) == sorted(kept)


@pytest.mark.parametrize(
    "position",
    [Position("here"), Position("running", 5, "kobadimu"), Position("away", OPEN + 5, "a" * 32)],
)
def test_a_cursor_is_read_as_it_was_written(position: Position) -> None:
    assert Position.parse(position.text) == position


@pytest.mark.parametrize(
    "text", ["", "x", "h", "h5", "h5a", "r0a", "0", f"r{OPEN}a", "h00", "r5A", "r5" + "a" * 33]
)
def test_an_invented_cursor_is_refused(text: str) -> None:
    assert Position.parse(text) is None


async def test_a_store_that_is_no_cluster_runs_one_script_for_each_look(
    backend: Backend, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With one for each bucket, a page took the store twice as long where few rooms are open."""
    log = await backend.log()
    rooms = Rooms(log)
    await rooms.put("running")
    primary = log._store._topology.primary(0)
    commands: list[Any] = []

    async def run(*asked: Any) -> list[Any]:
        commands.extend(asked)
        return await original(*asked)

    original = primary.run
    monkeypatch.setattr(primary, "run", run)
    page = await log.tables.listing.page(rooms.wanted, Position("running"), 50)
    assert [each.part for each in page.rooms] == ["running"]
    if not log._store._topology.clustered:
        assert {command[0] for command in commands} <= {"EVALSHA", "SCRIPT"}
        assert len(commands) <= paging.ROUNDS + 2
