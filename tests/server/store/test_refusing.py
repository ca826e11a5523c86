"""A store that is there and refuses to keep anything: by kind, in numbers and in words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress

import pytest
from redis.asyncio.connection import DefaultParser
from redis.exceptions import RedisError, ResponseError
from structlog.testing import capture_logs

from pierule_protocol.log.events import EMPTY
from pierule_server.metrics import REGISTRY
from pierule_server.store.buckets import bucket_of, deadlines_key
from pierule_server.store.driver.errors import AWAY, KINDS, ErrorLog, Trouble, for_players, kind_of
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.room_log import StoreRefused, StoreUnavailable
from pierule_server.terms import AppendOptions, Deadline
from support import stores
from support.listening import RecordingListener


@pytest.fixture(params=["valkey", *stores.OTHERS])
def store(request: pytest.FixtureRequest) -> Iterator[stores.Server]:
    binary = stores.VALKEY if request.param == "valkey" else stores.REDIS
    assert binary is not None
    with stores.single(binary) as server:
        yield server


class Node:
    """A log that is swept, as a node does it."""

    def __init__(self, log: RedisRoomLog, ear: RecordingListener) -> None:
        self.log = log
        self.ear = ear

    async def sweep_until(self, kind: str | None) -> None:
        """Until the store has been found to refuse so; None: to refuse nothing."""
        async with asyncio.timeout(60):
            while self.refused() != kind:
                with suppress(StoreUnavailable):
                    await self.log.tables.deadlines.sweep()
                await asyncio.sleep(0.01)

    def refused(self) -> str | None:
        (primary,) = self.log._topology.primaries
        trouble = primary.health.trouble
        return None if trouble is None else trouble.kind


@pytest.fixture
async def node(store: stores.Server) -> AsyncIterator[Node]:
    ear = RecordingListener()
    log = await RedisRoomLog.open(store.url, ear)
    yield Node(log, ear)
    await log.close()


def _fill(store: stores.Server) -> None:
    store.command("CONFIG", "SET", "maxmemory", "1")


def _depose(store: stores.Server) -> None:
    store.command("REPLICAOF", "127.0.0.1", "1")


def _bereave(store: stores.Server) -> None:
    store.command("CONFIG", "SET", "min-replicas-to-write", "1")


def _break_disk(store: stores.Server) -> None:
    store.command("CONFIG", "SET", "save", "3600 1")
    (store.folder / "dump.rdb").mkdir()
    store.command("BGSAVE")
    stores.wait_for(
        lambda: b"rdb_last_bgsave_status:err" in store.command("INFO", "persistence"), "the failure"
    )


@pytest.mark.parametrize(
    ("kind", "ail"),
    [("OOM", _fill), ("READONLY", _depose), ("NOREPLICAS", _bereave), ("MISCONF", _break_disk)],
)
async def test_a_refusal_of_the_store_is_named_and_counted(
    store: stores.Server, node: Node, kind: str, ail: object
) -> None:
    def counted() -> float:
        series = "pierule_store_error_replies_total"
        return REGISTRY.get_sample_value(series, {"kind": kind}) or 0

    entry = await node.log.append("room", EMPTY, b"{}", AppendOptions())
    before = counted()
    ail(store)  # type: ignore[operator]
    with capture_logs() as logged:
        with pytest.raises(StoreRefused) as caught:
            await node.log.append("room", entry.place, b"{}", AppendOptions())
        await node.sweep_until(kind)
        await node.sweep_until(kind)
    assert caught.value.kind == kind
    assert counted() > before
    told = [line for line in logged if line["event"] == "the store answers with an error"]
    assert [line["kind"] for line in told] == [kind], "once, however often it refuses"
    trouble = next(each for each in node.log.troubles if kind in each)
    assert f"store {store.folder}/s refuses writes" in trouble
    assert f"({kind}: " in trouble
    await node.ear.until(lambda: node.ear.news == [False])
    assert node.ear.troubles == [KINDS[kind].players]


async def test_a_script_that_an_acl_forbids_has_an_error_of_its_own(
    store: stores.Server, node: Node
) -> None:
    store.command("ACL", "SETUSER", "default", "-xadd", "-zcard")
    with pytest.raises(StoreRefused) as caught:
        await node.log.append("room", EMPTY, b"{}", AppendOptions())
    assert caught.value.kind == "NOPERM"
    await node.sweep_until("NOPERM")
    assert KINDS["NOPERM"].operators in str(node.log.troubles)


async def test_a_store_that_has_room_again_is_back(store: stores.Server, node: Node) -> None:
    _fill(store)
    await node.sweep_until("OOM")
    await node.ear.until(lambda: node.ear.news == [False])
    store.command("CONFIG", "SET", "maxmemory", "0")
    await node.sweep_until(None)
    await node.ear.until(lambda: node.ear.news == [False, True])
    assert not any("OOM" in trouble for trouble in node.log.troubles)
    await node.log.append("room", EMPTY, b"{}", AppendOptions())


def read(text: str) -> RedisError:
    """An error reply, as redis-py makes it."""
    error = DefaultParser.parse_error(text)  # type: ignore[no-untyped-call]
    assert isinstance(error, RedisError)
    return error


@pytest.mark.parametrize("kind", sorted({*KINDS, "ERR", "WRONGTYPE"} - {AWAY}))
def test_the_kind_of_a_refusal_is_its_first_word(kind: str) -> None:
    assert kind_of(read(f"{kind} and so on")) == kind


def test_other_errors_have_no_kind() -> None:
    assert kind_of(ConnectionRefusedError("OOM")) == ""
    assert kind_of(ResponseError("unknown command")) == ""


def test_expected_errors_are_not_logged() -> None:
    with capture_logs() as logged:
        for text in ("NOSCRIPT No matching script", "MOVED 1 h:1", "TRYAGAIN x", "ASK 1 h:1"):
            ErrorLog("here").note(read(text))
    assert logged == []


def test_a_store_that_starts_is_no_error() -> None:
    with capture_logs() as logged:
        for text in ("LOADING Valkey is loading the dataset in memory", "OOM used memory"):
            ErrorLog("here").note(read(text))
    assert [(line["log_level"], line["event"]) for line in logged] == [
        ("info", "the store is loading its data"),
        ("error", "the store answers with an error"),
    ]


def test_players_are_told_whether_some_or_all_games_are_affected() -> None:
    full = Trouble("OOM", "used memory > maxmemory")
    assert for_players([], 3) is None
    assert for_players([full] * 3, 3) == KINDS["OOM"].players
    assert for_players([full], 3) == f"some games cannot go on: {KINDS['OOM'].players}"


async def test_a_damaged_bucket_does_not_keep_the_others_from_their_sweep(
    node: Node, store: stores.Server
) -> None:
    options = AppendOptions(deadline=Deadline("in", 0))
    for room in ("ababa", "babab"):
        await node.log.append(room, EMPTY, b"{}", options)
    damaged = deadlines_key(bucket_of("ababa"))
    assert damaged != deadlines_key(bucket_of("babab"))
    store.command("SET", damaged, "something else")
    async with asyncio.timeout(60):
        while not (due := (await node.log.tables.deadlines.sweep()).due):
            pass
    assert due == ["babab"]
