"""A log that was damaged is set aside, whatever was done to it, and nothing else notices."""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from pierule_protocol.codes import Code
from pierule_protocol.log.events import EMPTY, AnyRecord, Created, Entry, chain, encode_record
from pierule_protocol.log.fold import fold
from pierule_protocol.messages import Join, Notice
from pierule_protocol.state.room import CorruptLog, Room, UnknownGame
from pierule_server.metrics import REGISTRY
from pierule_server.rooms.deadlines import DeadlineSweeper
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.hub import Hub
from pierule_server.rooms.rooms import Rooms
from pierule_server.store.buckets import bucket_of, deadlines_key, finished_key, log_key
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.terms import AppendOptions, Deadline
from support import stores
from support.examples import up_to
from support.logs import write
from support.nodes import ANNA, Client

A_GAME: list[dict[str, Any]] = [
    {"kind": "created", "game": "loose", "size": 5, "user": "anna", "name": "", "nonce": "c",
     "seat": 0, "clock": {"kind": "fischer", "main": 600, "increment": 5, "start": 600}},
    {"kind": "seated", "seat": 1, "user": "bert", "name": "", "nonce": "s"},
    {"kind": "acted", "seat": 0, "action": "komi:12"},
    {"kind": "acted", "seat": 1, "action": "black"},
    {"kind": "acted", "seat": 1, "action": "c3"},
    {"kind": "offered", "seat": 0, "what": "takeback", "nonce": "o"},
    {"kind": "taken_back", "seat": 1, "nonce": "t"},
    {"kind": "offered", "seat": 0, "what": "pause", "nonce": "p"},
    {"kind": "paused", "seat": 1, "nonce": "q"},
    {"kind": "resumed", "seat": 1, "nonce": "r"},
    {"kind": "credited", "lost_from": 1, "lost_to": 5},
    {"kind": "resigned", "seat": 1, "nonce": "g"},
]  # fmt: skip
"""Not one log, but what can stand in logs."""

odd = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=5),
    st.sampled_from([-1, 0, 1, 2, 2**31, 2**53, 2**63, 2**64, 10**400, "", "a1", "pass", [], {}]),
)  # fmt: skip
"""What may stand where something else should."""


@st.composite
def strange_records(draw: st.DrawFn) -> str:
    """A record that is nearly one."""
    record: Any = dict(draw(st.sampled_from(A_GAME)))
    for _ in range(draw(st.integers(0, 3))):
        target = record
        if isinstance(record.get("clock"), dict) and draw(st.booleans()):
            target = record["clock"] = dict(record["clock"])
        name = draw(st.sampled_from([*target, "seat", "nonce", "lag", "given", "players", "delay"]))
        if draw(st.booleans()):
            target.pop(name, None)
        else:
            target[name] = draw(odd)
    return json.dumps(record)


@given(st.lists(strange_records(), max_size=6), st.lists(st.integers(0, 10**7), max_size=6))
@settings(max_examples=up_to(400), suppress_health_check=[HealthCheck.too_slow])
def test_a_fold_only_raises_corrupt_log(records: list[str], pauses: list[int]) -> None:
    """Though all chains are right: somebody who can write to the store can do that."""
    good: list[AnyRecord | str] = [
        Created("loose", 5, "anna", "", "c", seat=0),
        *(json.dumps(record) for record in A_GAME[1:5]),
    ]
    beginnings: list[list[AnyRecord | str]] = [[], good]
    for first in beginnings:
        room: Room | None = None
        at = 0
        for seq, entry in enumerate(write(EMPTY, *first, *records), 1):
            at += 1_000 + (pauses[seq % len(pauses)] if pauses else 0)
            place = room.place if room else EMPTY
            link = chain(place.chain, entry.epoch, entry.seq, entry.record.encode(), at)
            try:
                room = fold(room, "room", Entry(entry.epoch, entry.seq, link, at, entry.record))
            except (CorruptLog, UnknownGame):
                break


class Node:
    """A node's hub, rooms and referee over a real store."""

    def __init__(self, hub: Hub, log: RedisRoomLog) -> None:
        self.hub = hub
        self.log = log
        self.rooms = Rooms(hub, log, log.tables)
        self.referee = DeadlineSweeper(self.hub, log, self.rooms, log.tables.deadlines)

    async def follow(self, room: str) -> Client:
        client = Client(ANNA)
        answer, live, missed = await self.rooms.join(ANNA, Join(id=1, room=room))
        assert self.hub.follow(client.connection, live, missed, answer)
        return client


@pytest.fixture
async def nodes(valkey: stores.Server) -> AsyncIterator[list[Node]]:
    made = []
    for name in ("one", "two"):
        log = await RedisRoomLog.open(valkey.url, timeouts=stores.PATIENT)
        hub = Hub(name, log, log.tables, 100)
        log.listen(hub)
        hub.start()
        made.append(Node(hub, log))
    yield made
    for node in made:
        await node.referee.stop()
        await node.hub.stop()
        await node.log.close()


async def a_room(log: RedisRoomLog, *, due: bool = False) -> str:
    """A game under way, whose deadline is far, or due."""
    room, place = f"room-{secrets.token_hex(6)}", EMPTY
    for number, record in enumerate(A_GAME[:5]):
        text = json.dumps(record)
        if number == 0:
            made = Created("loose", 5, "anna", "", "c", seat=0)
            text = encode_record(made).decode()
        deadline = Deadline("in", 1 if due and number == 4 else 10**7)
        place = (
            await log.append(
                room, place, text.encode(), AppendOptions(deadline=deadline, names={"anna": "Anna"})
            )
        ).place
    return room


def raw(store: stores.Server, room: str) -> list[tuple[bytes, list[bytes]]]:
    return [(n, list(f)) for n, f in store.command("XRANGE", log_key(room), "-", "+")]


def put(store: stores.Server, room: str, entries: list[tuple[bytes, list[bytes]]]) -> None:
    store.command("DEL", log_key(room))
    for number, fields in entries:
        store.command("XADD", log_key(room), number, *fields)


def hole(store: stores.Server, room: str) -> None:
    store.command("XDEL", log_key(room), "3-0")


def beheaded(store: stores.Server, room: str) -> None:
    store.command("XTRIM", log_key(room), "MAXLEN", 3)


def no_stream(store: stores.Server, room: str) -> None:
    store.command("DEL", log_key(room))
    store.command("SET", log_key(room), "no stream")


def edited(change: Callable[[list[bytes]], list[bytes]], seq: int) -> Callable[..., None]:
    def edit(store: stores.Server, room: str) -> None:
        entries = raw(store, room)
        number, fields = entries[seq - 1]
        entries[seq - 1] = (number, change(fields))
        put(store, room, entries)

    return edit


def forged(record: bytes) -> Callable[..., None]:
    """Another last record, with the right chain."""

    def forge(store: stores.Server, room: str) -> None:
        entries = raw(store, room)
        _, fields = entries[-1]
        at, link = int(fields[5]), int(entries[-2][1][3])
        fields[3] = b"%d" % chain(link, 1, len(entries), record, at)
        fields[7] = record
        put(store, room, entries)

    return forge


def field(index: int, value: bytes) -> Callable[[list[bytes]], list[bytes]]:
    return lambda fields: [*fields[:index], value, *fields[index + 1 :]]


DAMAGES: dict[str, Callable[..., None]] = {
    "a hole": hole,
    "no beginning": beheaded,
    "something else": no_stream,
    "bad JSON": edited(field(7, b"{"), 5),
    "not UTF-8": edited(field(7, b"\xff"), 5),
    "another record": edited(field(7, b'{"kind":"acted","seat":1,"action":"d4"}'), 5),
    "a bad chain": edited(field(3, b"12345"), 5),
    "a chain that is no number": edited(field(3, b"x"), 5),
    "an epoch that is no number": edited(field(1, b""), 4),
    "a time that is no number": edited(field(5, b"yesterday"), 2),
    "a time out of range": edited(field(5, b"9" * 30), 5),
    "names that are none": edited(lambda fields: [*fields[:8], b"names", b"[1]"], 5),
    "missing fields": edited(lambda fields: fields[:4], 5),
    "bad JSON, chained": forged(b"{"),
    "an unknown kind": forged(b'{"kind":"danced","seat":1}'),
    "wrong types": forged(b'{"kind":"acted","seat":"1","action":3}'),
    "an illegal action": forged(b'{"kind":"acted","seat":1,"action":"z99"}'),
    "the wrong seat": forged(b'{"kind":"acted","seat":0,"action":"d4"}'),
}


async def until(condition: Callable[[], object]) -> None:
    async with asyncio.timeout(60):
        while not condition():  # noqa: ASYNC110 - it is only polled here
            await asyncio.sleep(0.02)


def damaged_rooms() -> float:
    return REGISTRY.get_sample_value("pierule_rooms_damaged_total") or 0


@pytest.mark.parametrize("due", [False, True], ids=["asked", "due"])
@pytest.mark.parametrize("damage", DAMAGES.values(), ids=DAMAGES)
async def test_a_damaged_room_is_quarantined_once(
    valkey: stores.Server, nodes: list[Node], damage: Callable[..., None], due: bool
) -> None:
    one, two = nodes
    room = await a_room(one.log, due=due)
    other = await a_room(one.log)
    follower = await two.follow(room)
    before = damaged_rooms()
    damage(valkey, room)
    if due:
        one.referee.start()
    else:
        with pytest.raises(CorruptLog) as caught:
            await one.hub.cache.get(room)
        await one.hub.set_aside(caught.value)
    await until(lambda: damaged_rooms() > before and room not in follower.connection.following)
    (gone,) = [m for m in follower.received() if isinstance(m, Notice)]
    assert (gone.kind, gone.room) == ("room_gone", room)
    assert "damaged" in (gone.text or "")
    # Nothing names it to a node any more, and whoever asks for it is told.
    for key in (deadlines_key(bucket_of(room)), finished_key(bucket_of(room))):
        assert valkey.command("ZSCORE", key, room) is None
    sweep = await two.log.tables.deadlines.sweep()
    assert room not in [*sweep.due, *sweep.lost]
    for node in nodes:
        with pytest.raises(Refused) as refused:
            await node.hub.cache.get(room)
        assert refused.value.code is Code.DAMAGED
        assert await node.hub.peek(room) is None
        assert (await node.hub.cache.get(other)).room.turn == 3
    aside = [each for each in await one.log.tables.quarantine.all() if each.room == room]
    assert len(aside) == 1
    assert damaged_rooms() == before + 1


@given(data=st.data())
@settings(
    max_examples=up_to(40),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
async def test_a_log_with_random_bytes_is_unchanged_damaged_or_of_an_unknown_game(
    valkey: stores.Server, nodes: list[Node], data: st.DataObject
) -> None:
    """Whatever is changed: the log is what it was, damaged, or of an unknown game."""
    log = nodes[0].log
    room = await a_room(log)
    kept = await log.read(room)
    entries = raw(valkey, room)
    for _ in range(data.draw(st.integers(1, 3))):
        seq = data.draw(st.integers(0, len(entries) - 1))
        index = data.draw(st.integers(0, len(entries[seq][1]) - 1))
        text = entries[seq][1][index]
        cut = data.draw(st.integers(0, 10**6)) % (len(text) + 1)  # It is never as long again.
        entries[seq][1][index] = text[:cut] + data.draw(st.binary(max_size=3)) + text[cut + 1 :]
    if data.draw(st.booleans()):
        del entries[data.draw(st.integers(0, len(entries) - 1))]
    put(valkey, room, entries)
    await nodes[1].hub.read(room)
    if await log.tables.quarantine.holds(room):
        return
    found = await log.read(room)
    assert [e.place for e in found] == [e.place for e in kept][: len(found)]


async def test_a_game_that_is_not_known_here_is_not_damaged(nodes: list[Node]) -> None:
    one, _ = nodes
    record = encode_record(Created("chess", 8, "anna", "", "c", seat=0))
    room = "of-an-unknown-game"
    before = damaged_rooms()
    if not await one.log.read(room):
        await one.log.append(room, EMPTY, record, AppendOptions(deadline=Deadline("in", 1)))
    with pytest.raises(UnknownGame, match="chess rules 1"):
        await one.hub.cache.get(room)
    assert await one.hub.peek(room) is None
    one.referee.start()
    await until(lambda: room in one.referee._shelved)
    assert not await one.log.tables.quarantine.holds(room)
    assert damaged_rooms() == before
