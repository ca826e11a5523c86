"""Finished games reach the archive, each once and in order, whatever is away meanwhile."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from pierule_archive.batch import ArchiveAway, Batch, Unkeepable
from pierule_archive.schema import amendments, games, players
from pierule_archive.writer import Writer
from pierule_protocol.log.controls import ABANDONED_TIME, PUBLIC_OPEN_TIME
from pierule_server import metrics
from pierule_server.rooms import archive_writer
from pierule_server.rooms.archive_writer import BATCH, LATE_MS, LEASE_MS
from pierule_server.rooms.housekeeping import Housekeeper
from pierule_server.settings import Settings
from pierule_server.store.buckets import archivist_key, bucket_of, unarchived_key
from support.archiving import Time, resigned, rooms_in, rows, writing
from support.model_store import ModelStore
from support.nodes import ANNA, running

HOUR = 3_600_000


@pytest.fixture
def time() -> Time:
    return Time()


@pytest.fixture
def store(time: Time) -> ModelStore:
    return ModelStore(time)


@pytest.fixture
def url(tmp_path: Path) -> str:
    return f"sqlite:///{tmp_path / 'archive.sqlite'}"


class Faulty(Writer):
    """A writer whose database is `away`, refuses what it `refuses`, or waits at its `gate`."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.away = False
        self.refuses: set[str] = set()
        self.gate = threading.Event()
        self.gate.set()
        self.tries = 0

    def write(self, batch: Batch) -> int:
        self.tries += 1
        self.gate.wait(30)
        if self.away:
            raise ArchiveAway("no route to it")
        if refused := self.refuses.intersection(game.room for game in batch.games):
            raise Unkeepable(f"it does not like {refused}")
        return super().write(batch)


async def test_a_game_is_archived_once(store: ModelStore, url: str) -> None:
    async with running(1, store) as (node,), writing(node, Writer(url)) as writer:
        room = await resigned(node)
        running_room = await node.started()
        assert await writer.look() == 1
        assert await writer.look() == 0
        assert rooms_in(url) == [room]
        assert rows(url, games.c.winner, games.c.reason) == [("1", "resigned")]
        assert running_room in store.rooms
        assert writer.troubles == []


async def test_rules_are_not_played_again_for_a_room_in_memory(
    store: ModelStore, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def read_again(*_: object) -> None:
        raise AssertionError("the room is in memory")

    monkeypatch.setattr(archive_writer, "reading_game", read_again)
    async with running(1, store) as (node,), writing(node, Writer(url)) as writer:
        room = await resigned(node)
        assert await writer.look() == 1
    assert rooms_in(url) == [room]


async def test_games_are_archived_in_the_order_of_their_ends(
    store: ModelStore, time: Time, url: str
) -> None:
    async with running(2, store) as nodes, writing(nodes[0], Writer(url)) as writer:
        rooms = []
        for number in range(BATCH + 20):
            rooms.append(await resigned(nodes[number % 2]))
            time.now += 7
        assert await writer.look() == BATCH
        assert await writer.look() == 20
        assert rooms_in(url) == rooms


async def test_several_nodes_archive_each_game_once(store: ModelStore, url: str) -> None:
    async with running(3, store) as (one, two, three):
        rooms = [await resigned(one) for _ in range(9)]
        async with (
            writing(one, Writer(url), "a") as first,
            writing(two, Writer(url), "b") as second,
            writing(three, Writer(url), "c") as third,
        ):
            await asyncio.gather(*(each.look() for each in (first, second, third)))
        assert sorted(rooms_in(url)) == sorted(rooms)
        assert store.unarchived == {}


async def test_another_node_writes_on_when_the_lease_of_a_dead_node_ends(
    store: ModelStore, time: Time, url: str
) -> None:
    async with running(2, store) as (one, two), writing(two, Writer(url), "b") as second:
        room = await resigned(one)
        assert await two.log.tables.archive_queue.lease("dead", LEASE_MS)
        assert await second.look() == 0
        time.now += LEASE_MS
        assert await second.look() == 1
        assert rooms_in(url) == [room]


async def test_a_game_that_a_dead_node_wrote_is_not_written_again(
    store: ModelStore, url: str
) -> None:
    async with running(1, store) as (node,), writing(node, Writer(url)) as writer:
        await resigned(node)
        waiting = store.unarchived
        assert await writer.look() == 1
        for room, at in waiting.items():
            store.run("ZADD", unarchived_key(bucket_of(room)), at, room)
        assert await writer.look() == 1
        assert len(rooms_in(url)) == 1
        assert store.unarchived == {}


async def test_a_room_without_two_players_leaves_nothing(
    store: ModelStore, time: Time, url: str
) -> None:
    async with running(1, store) as (node,), writing(node, Writer(url)) as writer:
        untaken = await node.make()
        time.now += PUBLIC_OPEN_TIME + 1_000
        await node.rooms.time_out(untaken)
        await writer.look()
        assert rooms_in(url) == []
        assert store.unarchived == {}


async def test_an_abandoned_game_is_kept_as_aborted(
    store: ModelStore, time: Time, url: str
) -> None:
    async with running(1, store) as (node,), writing(node, Writer(url)) as writer:
        room = await node.started()
        time.now += ABANDONED_TIME + 1
        await node.rooms.time_out(room)
        await writer.look()
        assert rows(url, games.c.room, games.c.winner, games.c.reason) == [(room, None, "aborted")]


async def test_no_game_is_lost_while_the_archive_is_away(
    store: ModelStore, time: Time, url: str
) -> None:
    async with running(1, store) as (node,):
        faulty = Faulty(url)
        async with writing(node, faulty, put_away_after=0, retention=60) as writer:
            faulty.away = True
            rooms = []
            for _ in range(5):
                rooms.append(await resigned(node))
                time.now += 1_000
                assert await writer.look() == 0
            archiver = Housekeeper(
                node.hub, node.log, node.log.tables,
                Settings(put_away_after=0, retention=60),
            )  # fmt: skip
            assert await archiver.look() == 5
            assert not store.rooms
            time.now += 24 * HOUR
            await writer.look()
            (trouble,) = writer.troubles
            assert trouble.startswith("the archive is away: no route to it; 5 finished games wait")
            writer.measure()
            assert metrics.REGISTRY.get_sample_value("pierule_archive_waiting") == 5
            oldest = metrics.REGISTRY.get_sample_value("pierule_archive_oldest_seconds")
            assert oldest is not None
            assert oldest >= 86_400
            faulty.away = False
            assert await writer.look() == 1, "the first shows that it is back"
            assert writer.troubles[0].startswith("the archive lags behind")
            assert await writer.look() == 4
            assert rooms_in(url) == rooms
            await writer.look()
            assert writer.troubles == []
            assert all(room in store.put_away for room in rooms)
            time.now += 60_000
            assert not any(room in store.put_away for room in rooms)


async def test_a_node_notices_that_the_archive_is_back_when_another_has_written_all(
    store: ModelStore, url: str
) -> None:
    async with running(2, store) as (one, two):
        faulty = Faulty(url)
        async with writing(one, faulty) as first, writing(two, Writer(url), "b") as second:
            await resigned(one)
            faulty.away = True
            await first.look()
            assert await second.look() == 1
            await first.look()
            assert first.troubles != []
            faulty.away = False
            await first.look()
            assert first.troubles == []


async def test_a_game_that_the_archive_refuses_does_not_hold_up_others(
    store: ModelStore, url: str
) -> None:
    async with running(1, store) as (node,):
        faulty = Faulty(url)
        async with writing(node, faulty) as writer:
            rooms = [await resigned(node) for _ in range(4)]
            faulty.refuses = {rooms[1]}
            assert await writer.look() == 3
            assert await writer.look() == 0
            assert sorted(rooms_in(url)) == sorted({*rooms} - {rooms[1]})
            assert writer.troubles == [
                f"{rooms[1]} cannot be archived: it does not like {{{rooms[1]!r}}}"
            ]
            assert store.unarchived.keys() == {rooms[1]}


async def test_a_damaged_room_is_quarantined_and_does_not_hold_up_others(
    store: ModelStore, url: str
) -> None:
    async with running(1, store) as (node,), writing(node, Writer(url)) as writer:
        damaged, sound = await resigned(node), await resigned(node)
        first, second, _, *rest = store.entries(damaged)
        store.write_log(damaged, [first, second, *rest])
        assert await writer.look() == 1
        assert rooms_in(url) == [sound]
        assert damaged in store.quarantined
        assert store.unarchived == {}


async def test_a_lost_end_is_not_archived_and_the_next_one_is(
    store: ModelStore, time: Time, url: str
) -> None:
    async with running(1, store) as (node,), writing(node, Writer(url)) as writer:
        room = await resigned(node)
        node.lose_tail(room, 5)
        await writer.look()
        assert rooms_in(url) == []
        time.now += 1_000
        await node.hub.recovery.catch_up(await node.live(room))
        await node.resign(ANNA, room, "again")
        assert await writer.look() == 1
        assert rooms_in(url) == [room]


async def test_a_lost_end_that_was_archived_is_replaced(
    store: ModelStore, time: Time, url: str
) -> None:
    async with running(1, store) as (node,), writing(node, Writer(url)) as writer:
        room = await resigned(node)
        await writer.look()
        node.lose_tail(room, 5)
        await node.hub.recovery.catch_up(await node.live(room))
        time.now += 1_000
        await node.resign(ANNA, room, "again")
        assert await writer.look() == 1
        found = sorted(rows(url, games.c.feed, games.c.superseded_by, games.c.epoch))
        assert found[0][:2] == (1, 2)
        assert found[1][1] is None
        assert found[1][2] > found[0][2]


async def test_an_unconfirmed_end_is_not_archived(store: ModelStore, url: str) -> None:
    async with running(1, store) as (node,), writing(node, Writer(url)) as writer:
        await resigned(node)

        async def confirm(*_: Any, **__: Any) -> bool:
            return False

        kept, node.log.confirm = node.log.confirm, confirm  # type: ignore[method-assign]
        assert await writer.look() == 0
        node.log.confirm = kept  # type: ignore[method-assign]
        assert await writer.look() == 1


async def test_a_void_is_an_amendment(store: ModelStore, time: Time, url: str) -> None:
    async with running(1, store) as (node,), writing(node, Writer(url)) as writer:
        room = await resigned(node)
        await writer.look()
        time.now += 1_000
        await node.rooms.close(room, "cheating")
        assert await writer.look() == 1
        both = await resigned(node)
        time.now += 1_000
        await node.rooms.close(both, "also")
        assert await writer.look() == 1
        found = rows(
            url, amendments.c.feed, amendments.c.game, amendments.c.kind, amendments.c.text
        )
        assert sorted(found) == [(2, 1, "void", "cheating"), (4, 3, "void", "also")]
        assert rows(url, games.c.reason) == [("resigned",), ("resigned",)]


async def test_a_user_is_forgotten_after_an_outage_of_the_archive(
    store: ModelStore, time: Time, url: str
) -> None:
    async with running(1, store) as (node,):
        faulty = Faulty(url)
        async with writing(node, faulty) as writer:
            await resigned(node)
            await writer.look()
            faulty.away = True
            await node.lobby.forget("anna")
            assert await writer.look() == 0
            assert dict(rows(url, players.c.id, players.c.name)) == {"anna": "Anna", "bert": "Bert"}
            faulty.away = False
            assert await writer.look() == 1
            assert dict(rows(url, players.c.id, players.c.name)) == {"anna": None, "bert": "Bert"}
            await resigned(node)
            await writer.look()
            assert dict(rows(url, players.c.id, players.c.name))["anna"] is None
            assert store.unarchived == {}


async def test_the_writer_runs_by_itself_and_keeps_its_lease_while_it_writes(
    store: ModelStore, time: Time, url: str
) -> None:
    async with running(1, store) as (node,):
        faulty = Faulty(url)
        faulty.gate.clear()
        leases: list[int] = []
        queue = node.log.tables.archive_queue
        lease = queue.lease

        async def count(node: str, ms: int) -> bool:
            leases.append(ms)
            return await lease(node, ms)

        queue.lease = count  # type: ignore[method-assign]
        async with writing(node, faulty) as writer:
            await writer.start()
            await resigned(node)
            await until(lambda: leases.count(LEASE_MS) >= 3)
            faulty.gate.set()
            await until(lambda: not store.unarchived)
        assert faulty.tries == 1
        assert not store.run("EXISTS", archivist_key()), "it lets go at the end"


async def test_the_writer_goes_on_while_games_wait_and_else_pauses(
    store: ModelStore, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(archive_writer, "PAUSE", 3_600.0)
    monkeypatch.setattr(archive_writer, "BATCH", 2)
    async with running(1, store) as (node,), writing(node, Writer(url)) as writer:
        look, written = writer.look, list[int]()

        async def count() -> int:
            written.append(0)  # it has begun
            written[-1] = await look()
            return written[-1]

        monkeypatch.setattr(writer, "look", count)
        ended = [await resigned(node) for _ in range(5)]
        await writer.start()
        await until(lambda: sum(written) == 5)
        await asyncio.sleep(0)  # a further look would begin at once
        assert written == [2, 2, 1]
        assert {*rooms_in(url)} == {*ended}


async def until(true: Callable[[], bool]) -> None:
    async with asyncio.timeout(60):
        while True:
            if true():
                return
            await asyncio.sleep(0.02)


async def test_without_an_archive_operators_are_warned_of_the_loss(
    store: ModelStore, time: Time
) -> None:
    async with running(1, store) as (node,), writing(node) as writer:
        await resigned(node)
        assert await writer.look() == 0
        days = "there is no --archive: finished games are forgotten after 30 days"
        assert writer.troubles == [days]
        assert await node.log.tables.archive_queue.look(archives=True)
        await writer.look()
        assert writer.troubles == [], "another node has one"
        time.now += LATE_MS + 1
        (late,) = writer.troubles
        assert late.startswith("no node with --archive writes: 1 finished games wait")
    async with running(1, ModelStore(time)) as (other,), writing(other, archive="off") as off:
        await off.look()
        assert off.troubles == []


@pytest.mark.parametrize(
    ("archives", "said"),
    [(False, "finished games are forgotten after 30 days"), (True, "finished games stay in")],
)
async def test_a_node_without_an_archive_says_what_becomes_of_finished_games(
    store: ModelStore, archives: bool, said: str
) -> None:
    """The store keeps them if it had an archive, for example before it was moved by a dump."""
    async with running(1, store) as (node,), writing(node) as writer:
        await node.log.tables.archive_queue.look(archives=archives)
        with capture_logs() as logs:
            await writer.start()
        (line,) = [each["event"] for each in logs if "no --archive" in each["event"]]
        assert said in line


async def test_an_unusable_archive_is_refused_at_the_start(
    store: ModelStore, tmp_path: Path
) -> None:
    file = tmp_path / "archive.sqlite"
    file.write_bytes(b"no database at all, but long enough to look like a file" * 30)
    async with running(1, store) as (node,), writing(node, Writer(f"sqlite:///{file}")) as writer:
        with pytest.raises(
            OSError, match=r"archive\.sqlite cannot be used: file is not a database"
        ):
            await writer.start()


async def test_a_node_serves_though_the_archive_is_away_at_the_start(
    store: ModelStore,
) -> None:
    async with running(1, store) as (node,):
        away = Writer("postgresql://me:secret@127.0.0.1:1/games")
        async with writing(node, away) as writer:
            await writer.start()
            (trouble,) = writer.troubles
            assert "refused" in trouble
            assert "secret" not in trouble
