"""Rooms that are over: put away, still to be looked at, and gone in the end."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from pierule_protocol.codes import Code
from pierule_protocol.log.controls import ABANDONED_TIME, PUBLIC_OPEN_TIME
from pierule_protocol.log.events import chain
from pierule_protocol.log.record import read_record
from pierule_protocol.log.verify import verify
from pierule_protocol.messages import Create, LogQuery, Offer, Result
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.rooms.housekeeping import Housekeeper, write_lines
from pierule_server.settings import Settings
from support.model_store import ModelStore
from support.nodes import ANNA, BERT, CARL, Client, Node, running, settle

AFTER, RETENTION = 60, 3_600


class Time:
    """The store's clock, moved by hand."""

    def __init__(self) -> None:
        self.now = 1_700_000_000_000

    def __call__(self) -> int:
        return self.now

    def forward(self, seconds: float) -> None:
        self.now += round(seconds * 1_000)


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def store(time: Time) -> ModelStore:
    return ModelStore(time)


def housekeeper(node: Node, file: Path | None = None) -> Housekeeper:
    chosen = Settings(put_away_after=AFTER, retention=RETENTION, export_file=str(file or ""))
    return Housekeeper(node.hub, node.log, node.log.tables, chosen)


async def resigned(node: Node) -> str:
    """A room whose game ran to turn 3 and was given up."""
    room = await node.started()
    await node.resign(ANNA, room)
    return room


async def refusal(work: Awaitable[object]) -> Code:
    with pytest.raises(Refused) as refused:
        await work
    return refused.value.code


async def test_a_room_put_away_opens_read_only(store: ModelStore, time: Time) -> None:
    async with running(2, store) as (node, other):
        room = await resigned(node)
        query = LogQuery(id=1, room=room)
        before = (await node.rooms.log(CARL, query, admitted=False)).log
        time.forward(AFTER)
        assert await housekeeper(node).look() == 1
        assert room not in store.rooms
        for each in (node, other):  # the one has it at hand, the other has not
            client = Client()
            answer = await each.follow(client, room)
            assert not answer.resumed
            assert client.mirror().result == Result(1, "resigned")
            assert (await each.rooms.log(CARL, query, admitted=False)).log == before
            for request in (
                each.act(ANNA, room, 3, "a1"),
                each.resign(BERT, room, "late"),
                each.take(CARL, room),
            ):
                assert await refusal(request) == Code.FINISHED


async def test_retries_are_answered_alike_after_a_room_is_put_away(
    store: ModelStore, time: Time
) -> None:
    async with running(2, store) as (node, other):
        request = Create(id=1, nonce="again", game="loose", size=5, seat=0)
        made = await node.rooms.create(ANNA, request)
        assert made.room is not None
        room = made.room
        await node.take(BERT, room)
        acted = await node.act(ANNA, room, 0, "komi:12")
        given = await node.resign(BERT, room, "r1")
        time.forward(AFTER)
        await housekeeper(node).look()
        assert (await other.rooms.create(ANNA, request)).place == made.place
        assert (await other.act(ANNA, room, 0, "komi:12")).place == acted.place
        assert (await other.resign(BERT, room, "r1")).place == given.place
        assert room not in store.rooms


async def test_an_abandoned_game_ends_and_is_put_away(store: ModelStore, time: Time) -> None:
    async with running(1, store) as (node,):
        room = await node.started()
        time.forward(ABANDONED_TIME / 1_000)
        assert (await node.log.tables.deadlines.sweep()).due == []
        time.forward(0.001)
        sweep = await node.log.tables.deadlines.sweep()
        assert sweep.due == [room]
        assert sweep.lost == []  # nobody looked for 30 days, but no clock ran
        await node.rooms.time_out(room)
        assert node.kept(room).result == Result(None, "aborted")
        assert await refusal(node.act(ANNA, room, 3, "a1")) == Code.FINISHED
        time.forward(AFTER)
        assert await housekeeper(node).look() == 1
        assert store.cards == {}


async def test_an_untaken_room_leaves_nothing(
    store: ModelStore, time: Time, tmp_path: Path
) -> None:
    async with running(1, store) as (node,):
        untaken, taken = await node.make(), await resigned(node)
        time.forward(PUBLIC_OPEN_TIME / 1_000 + 1)
        await node.rooms.time_out(untaken)
        assert (await node.live(untaken)).room.result == Result(None, "aborted")
        time.forward(AFTER)
        assert await housekeeper(node, tmp_path / "records").look() == 2
        assert not store.rooms
        assert untaken not in store.put_away
        assert taken in store.put_away
        lines = (tmp_path / "records").read_text().splitlines()
        assert [json.loads(line)["room"] for line in lines] == [taken]


async def test_an_action_keeps_a_game_from_being_abandoned(store: ModelStore, time: Time) -> None:
    async with running(1, store) as (node,):
        room = await node.started()
        for turn, user, action in ((3, ANNA, "a1"), (4, BERT, "b1"), (5, ANNA, "d1")):
            time.forward(ABANDONED_TIME / 1_000 - 1)
            assert (await node.log.tables.deadlines.sweep()).due == []
            await node.act(user, room, turn, action)
        assert node.kept(room).turn == 6


async def test_a_room_is_unknown_after_the_retention(store: ModelStore, time: Time) -> None:
    async with running(2, store) as (node, other):
        room = await resigned(node)
        live = await node.live(room)
        time.forward(AFTER)
        await housekeeper(node).look()
        time.forward(RETENTION)
        assert await refusal(other.follow(Client(), room)) == Code.UNKNOWN_ROOM
        assert await refusal(node.hub.recovery.catch_up(live)) == Code.UNKNOWN_ROOM
        assert await refusal(node.follow(Client(), room)) == Code.UNKNOWN_ROOM
        kept = (store.rooms, store.put_away, store.finished, store.deadlines, store.cards)
        assert not any(len(each) for each in kept)


async def test_nodes_put_each_room_away_once(store: ModelStore, time: Time) -> None:
    async with running(3, store) as nodes:
        rooms = [await resigned(nodes[number % 3]) for number in range(20)]
        time.forward(AFTER)
        housekeepers = [housekeeper(node) for node in nodes]
        await asyncio.gather(*(each.look() for each in housekeepers))
        assert sum(each.put_away for each in housekeepers) == len(rooms)
        assert sorted(store.put_away) == sorted(rooms)


async def test_a_room_is_not_put_away_too_early(store: ModelStore, time: Time) -> None:
    async with running(1, store) as (node,):
        room = await resigned(node)
        running_room = await node.started()
        time.forward(AFTER - 1)
        assert await housekeeper(node).look() == 0
        time.forward(1)
        assert await housekeeper(node).look() == 1
        assert room not in store.rooms
        assert running_room in store.rooms


async def test_a_room_put_away_counts_for_no_membership(store: ModelStore, time: Time) -> None:
    async with running(1, store) as (node,):
        room = await resigned(node)
        await node.log.tables.memberships.reserve(
            "bert", room, 0
        )  # as if a node had died at the end
        time.forward(AFTER)
        await housekeeper(node).look()
        assert await node.log.tables.memberships.held("bert") == []


async def test_the_log_that_was_put_away_replaces_a_lost_end(store: ModelStore, time: Time) -> None:
    """A fail-over took the end back, the room came to another, and then it was put away."""
    async with running(2, store) as (node, other):
        room = await node.started()
        client = Client()
        await node.follow(client, room)
        await node.resign(ANNA, room)
        await settle()
        node.lose_tail(room, 5)
        node.deafen(room)
        await other.resign(BERT, room)
        time.forward(AFTER)
        await housekeeper(other).look()
        await node.hub.recovery.catch_up(await node.live(room))
        assert client.mirror().result == Result(0, "resigned")


async def test_finished_rooms_without_followers_leave_the_cache(store: ModelStore) -> None:
    async with running(1, store) as (node,):
        followed, idle, running_room = (
            await resigned(node), await resigned(node), await node.started()
        )  # fmt: skip
        await node.follow(Client(), followed)
        node.hub.cache.drop_finished()
        await settle()
        assert node.hub.cache.live.keys() == {followed, running_room}
        assert node.log.unsubscribed == [idle]


async def test_the_housekeeper_runs_by_itself(store: ModelStore, time: Time) -> None:
    """Also past a time at which the store is away, which the log has once."""
    async with running(1, store) as (node,):
        room = await resigned(node)
        node.log.away = True
        keeper = Housekeeper(
            node.hub,
            node.log,
            node.log.tables,
            Settings(put_away_after=0, retention=RETENTION),
        )
        keeper.start()
        try:
            with capture_logs() as logs:
                await asyncio.sleep(0.5)  # three looks at least
            told = [entry["event"] for entry in logs if entry["log_level"] == "warning"]
            assert told == ["rooms are not put away because the store does not answer"]
            node.log.away = False
            time.forward(60)  # what was claimed in vain may be claimed again
            async with asyncio.timeout(60):
                while not keeper.put_away:
                    await settle()
        finally:
            await keeper.stop()
        assert room in store.put_away


# --- the file ----------------------------------------------------------------------------------


async def test_the_export_file_gets_every_room_once(
    store: ModelStore, time: Time, tmp_path: Path
) -> None:
    file = tmp_path / "rooms.jsonl"
    async with running(1, store) as (node,):
        rooms = [await resigned(node) for _ in range(20)]
        logs = {room: node.entries(room) for room in rooms}
        time.forward(AFTER)
        await housekeeper(node, file).look()
    lines = [json.loads(line) for line in file.read_text().splitlines()]
    assert sorted(line["room"] for line in lines) == sorted(rooms)
    for line in lines:
        link = 0
        for event, entry in zip(line["events"], logs[line["room"]], strict=True):
            record = event["record"].encode()
            link = chain(link, event["epoch"], event["seq"], record, event["at"])
            assert link == event["chain"] == entry.chain
    for line in file.read_bytes().splitlines():
        assert verify(read_record(line)) is None  # as `pierule verify` does


async def test_rooms_are_not_put_away_if_the_export_file_cannot_be_written(
    store: ModelStore, time: Time, tmp_path: Path
) -> None:
    async with running(1, store) as (node,):
        room = await resigned(node)
        time.forward(AFTER)
        with pytest.raises(OSError, match="rooms"):
            await housekeeper(node, tmp_path / "missing" / "rooms.jsonl").look()
        assert room in store.rooms
        time.forward(AFTER)
        await housekeeper(node, tmp_path / "rooms.jsonl").look()
        assert room in store.put_away


def test_lines_are_appended_to_the_export_file_even_after_a_cut_line(tmp_path: Path) -> None:
    """It may be moved away; a line that a crash cut short spoils no other."""
    file, moved = tmp_path / "rooms.jsonl", tmp_path / "old"
    write_lines(file, [b"1", b"2"])
    write_lines(file, [b"3"])
    assert file.read_bytes() == b"1\n2\n3\n"
    file.rename(moved)
    write_lines(file, [b"4"])
    assert file.read_bytes() == b"4\n"
    moved.write_bytes(b'1\n{"cut')
    write_lines(moved, [b"5"])
    assert moved.read_bytes() == b'1\n{"cut\n5\n'


async def test_a_rematch_of_a_room_put_away_is_refused(store: ModelStore, time: Time) -> None:
    async with running(1, store) as [node]:
        room = await resigned(node)
        time.forward(AFTER)
        assert await housekeeper(node).look() == 1
        offer = Offer(id=1, room=room, what="rematch", nonce="o")
        assert await refusal(node.rooms.agree(ANNA, offer)) == Code.FINISHED
