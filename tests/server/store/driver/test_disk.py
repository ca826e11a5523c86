"""A disk that takes no more: operators and players hear of it, and not that the store is away."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from structlog.testing import capture_logs

from pierule_server.metrics import REGISTRY
from pierule_server.store.driver import disk as disks
from pierule_server.store.driver.disk import Disk
from pierule_server.store.driver.embedded import embedded_store
from pierule_server.store.driver.errors import DISK, KINDS
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.room_log import StoreUnavailable
from support import stores
from support.listening import RecordingListener


@pytest.fixture
def full(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    """Every disk is full until the patch is undone."""
    with monkeypatch.context() as patch:
        patch.setattr(disks, "FULL", 1 << 62)
        yield patch


def has(**values: int) -> Any:
    """What the system says about a file system."""
    names = ("f_flag", "f_bavail", "f_frsize", "f_files", "f_favail", "f_blocks")
    room = dict(zip(names, (0, 1 << 20, 4_096, 9, 9, 1 << 21), strict=True))
    return type("Told", (), {**room, **values})()


@pytest.mark.parametrize(
    ("told", "said"),
    [
        (has(), None),
        (has(f_bavail=10), "the disk of /data is full, 40,960 bytes are free: make room"),
        (has(f_flag=os.ST_RDONLY), "the disk of /data is read-only: see the system's log"),
        (has(f_favail=0), "the disk of /data has no room for more files: remove some"),
        (has(f_files=0, f_favail=0), None),
    ],
)
def test_what_keeps_a_disk_from_taking_more_is_named(
    told: Any, said: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "statvfs", lambda _: told)
    assert Disk(Path("/data")).trouble == said


def test_of_a_folder_that_is_not_there_nothing_is_known(tmp_path: Path) -> None:
    assert Disk(tmp_path / "none").trouble is None


def test_the_room_on_a_disk_is_measured(tmp_path: Path) -> None:
    Disk(tmp_path).measure()
    free, whole = (
        REGISTRY.get_sample_value("pierule_disk_bytes", {"which": which}) or 0
        for which in ("free", "all")
    )
    assert 0 < free <= whole


async def test_a_full_disk_is_named_while_the_store_still_serves(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    with stores.single() as server:
        log = await RedisRoomLog.open(server.url, disk=Disk(tmp_path))
        before = list(log.troubles)
        request.getfixturevalue("full")
        (line,) = [each for each in log.troubles if each not in before]
        await log.close()
    assert line.startswith(f"the disk of {tmp_path} is full, ")


async def test_a_store_that_is_away_on_a_full_disk_cannot_write_to_it(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    with stores.single() as server:
        ear = RecordingListener()
        log = await RedisRoomLog.open(server.url, ear, disk=Disk(tmp_path))
        full = request.getfixturevalue("full")
        server.kill()
        async with asyncio.timeout(60):
            while not ear.news:
                with suppress(StoreUnavailable):
                    await log.tables.deadlines.sweep()
                await asyncio.sleep(0.01)
        assert ear.troubles == [KINDS[DISK].players]
        (line,) = log.troubles
        assert line.startswith(f"store {server.folder}/s refuses writes because it cannot write")
        assert f"({DISK}: the disk of {tmp_path} is full" in line
        full.undo()
        assert "does not answer" in str(log.troubles), "the disk is not to blame any more"
        await log.close()


async def test_an_embedded_store_that_ends_on_a_full_disk_is_counted_as_an_error(
    tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    def counted() -> float:
        series = "pierule_store_error_replies_total"
        return REGISTRY.get_sample_value(series, {"kind": DISK}) or 0

    with capture_logs() as logs:
        async with embedded_store(tmp_path / "data") as url:
            request.getfixturevalue("full")
            before, pid = counted(), await _pid(url)
            os.kill(pid, signal.SIGKILL)
            async with asyncio.timeout(60):
                while counted() == before:  # noqa: ASYNC110
                    await asyncio.sleep(0.01)
    (end, *_) = [line for line in logs if "store has ended" in line["event"]]
    assert end["disk"].startswith(f"the disk of {tmp_path / 'data'} is full")


async def _pid(url: str) -> int:
    log = await RedisRoomLog.open(url)
    (primary,) = log._topology.primaries
    lines = (await primary.ask("INFO", "server")).splitlines()
    await log.close()
    return int(next(line for line in lines if line.startswith(b"process_id:"))[11:])
