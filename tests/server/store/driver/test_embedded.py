"""The embedded store as a process: it starts, outlives a killed run, is found again, and stops."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import ClassVar

import pytest
import redis
from structlog.testing import capture_logs

from pierule_protocol.log.events import EMPTY, Entry
from pierule_server.store.driver import embedded
from pierule_server.store.driver.embedded import embedded_store
from pierule_server.store.driver.machine import usable_memory
from pierule_server.store.redis_room_log import RedisRoomLog
from pierule_server.store.room_log import StoreUnavailable, StoreUnusable
from pierule_server.terms import AppendOptions
from support.listening import RecordingListener
from support.stores import alive, wait_for

RUN = """
import asyncio, sys
from pathlib import Path
from typing import ClassVar
from pierule_protocol.log.events import EMPTY
from pierule_server.store.driver.embedded import embedded_store
from pierule_server.store.redis_room_log import RedisRoomLog
from support.listening import RecordingListener
from pierule_server.terms import AppendOptions

async def main():
    async with embedded_store(Path(sys.argv[1])) as url:
        log = await RedisRoomLog.open(url, RecordingListener())
        await log.append("room", EMPTY, b"kept", AppendOptions())
        print(url, flush=True)
        await asyncio.Event().wait()

asyncio.run(main())
"""


def ask(url: str, *command: str) -> bytes:
    with redis.Redis.from_url(url, protocol=2, socket_timeout=60) as client:
        connection = client.connection_pool.get_connection()
        connection.send_command(*command)
        reply = connection.read_response()
        client.connection_pool.release(connection)
    return b"\n".join(reply) if isinstance(reply, list) else reply


def pid_of(url: str) -> int:
    lines = ask(url, "INFO", "server").split()
    return int(next(line for line in lines if line.startswith(b"process_id:"))[11:])


def mode(path: Path) -> int:
    return path.stat().st_mode & 0o777


def files(folder: Path, pattern: str) -> list[Path]:
    return list(folder.rglob(pattern))


def socket_of(url: str) -> Path:
    return Path(url.removeprefix("unix://"))


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "a data folder, 'new'"
    yield folder
    note = folder / "store.socket"  # A test that fails midway may leave a store behind.
    if note.exists():
        with suppress(redis.ConnectionError):
            os.kill(pid_of(f"unix://{note.read_text()}"), signal.SIGKILL)


def run(folder: Path) -> tuple[subprocess.Popen[str], str]:
    """Another process that serves the folder, and the URL that it got."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])}
    command = [sys.executable, "-c", RUN, str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    with process.stdout:
        return process, process.stdout.readline().strip()


async def test_the_embedded_store_starts_and_stops(folder: Path) -> None:
    async with embedded_store(folder) as url:
        socket = socket_of(url)
        pid = pid_of(url)
        assert ask(url, "CONFIG", "GET", "appendfsync") == b"appendfsync\nalways"
        assert ask(url, "CONFIG", "GET", "appendonly") == b"appendonly\nyes"
        assert ask(url, "CONFIG", "GET", "port") == b"port\n0"
        kept = ask(url, "CONFIG", "GET", "stream-node-max-bytes")
        assert kept == b"stream-node-max-bytes\n512"
        assert os.getsid(pid) == pid
        assert mode(folder) == mode(socket.parent) == 0o700
        assert {mode(path) for path in files(folder, "*.incr.aof")} == {0o600}
    assert not alive(pid)
    assert not socket.parent.exists()


async def test_the_embedded_store_has_bounded_memory(folder: Path) -> None:
    """Without one the store is never short, and a flood goes on until the machine is."""
    async with embedded_store(folder) as url:
        most = int(ask(url, "CONFIG", "GET", "maxmemory").split()[1])
        assert most == usable_memory() // 2
        assert ask(url, "CONFIG", "GET", "maxmemory-policy").split()[1] == b"noeviction"
    async with embedded_store(folder, memory=12_000_000) as url:
        assert ask(url, "CONFIG", "GET", "maxmemory").split()[1] == b"12000000"


async def test_data_survive_a_restart_of_the_embedded_store(folder: Path) -> None:
    entries: list[Entry] = []
    for number in range(2):
        async with embedded_store(folder, fsync="everysec") as url:
            assert ask(url, "CONFIG", "GET", "appendfsync") == b"appendfsync\neverysec"
            log = await RedisRoomLog.open(url, RecordingListener())
            assert await log.read("room") == entries
            place = entries[-1].place if entries else EMPTY
            entries.append(await log.append("room", place, b"%d" % number, AppendOptions()))
            await log.close()


async def test_a_store_left_by_a_killed_run_is_found_again(folder: Path) -> None:
    process, url = run(folder)
    pid = pid_of(url)
    process.kill()
    process.wait()
    assert alive(pid)
    async with embedded_store(folder, fsync="everysec") as again:
        assert again == url
        assert pid_of(again) == pid
        assert ask(again, "CONFIG", "GET", "appendfsync") == b"appendfsync\neverysec"
        log = await RedisRoomLog.open(again, RecordingListener())
        assert [entry.record for entry in await log.read("room")] == ["kept"]
        await log.close()
    wait_for(lambda: not alive(pid), "the end of the store")


async def test_leftovers_of_a_killed_run_and_its_store_are_cleared_up(folder: Path) -> None:
    process, url = run(folder)
    pid = pid_of(url)
    for each in (process.pid, pid):
        os.kill(each, signal.SIGKILL)
    process.wait()
    wait_for(lambda: not alive(pid), "the end of the store")
    assert files(socket_of(url).parent, "store.sock")
    async with embedded_store(folder) as again:
        assert pid_of(again) != pid
        log = await RedisRoomLog.open(again, RecordingListener())
        assert [entry.record for entry in await log.read("room")] == ["kept"]
        await log.close()


async def test_a_second_store_on_a_folder_is_refused(folder: Path) -> None:
    async with embedded_store(folder) as url:
        with pytest.raises(StoreUnusable) as refusal:
            async with embedded_store(folder / ".." / folder.name):
                pass
        assert str(folder) in str(refusal.value)
        assert str(os.getpid()) in str(refusal.value)
        assert ask(url, "PING") == b"PONG"
    process, url = run(folder)
    try:
        with pytest.raises(StoreUnusable, match=f"pid {process.pid}"):
            async with embedded_store(folder):
                pass
    finally:
        process.kill()
        process.wait()
    async with embedded_store(folder):  # To stop what the killed run has left.
        pass


async def test_the_store_starts_in_a_folder_with_a_long_path(tmp_path: Path) -> None:
    folder = tmp_path.joinpath(*["a folder with quite a name"] * 6)
    async with embedded_store(folder) as url:
        assert len(url) < 110
        assert ask(url, "CONFIG", "GET", "dir") == b"dir\n" + os.fsencode(folder)


async def test_the_socket_avoids_a_temporary_folder_with_a_long_path(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    long = tmp_path / ("x" * 120)
    long.mkdir()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(long))
    async with embedded_store(folder) as url:
        assert ask(url, "PING") == b"PONG"
        assert str(long) not in url


async def test_a_store_that_cannot_start_says_why(folder: Path) -> None:
    async with embedded_store(folder):
        pass
    (aof,) = files(folder, "*.manifest")
    aof.write_text("nonsense\n")
    with pytest.raises(StoreUnusable, match=r"ended while it started(.|\n)*manifest"):
        async with embedded_store(folder):
            pass


async def test_a_socket_folder_of_somebody_else_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with tempfile.TemporaryDirectory(prefix="pr-", dir="/tmp") as runtime:
        monkeypatch.setenv("XDG_RUNTIME_DIR", runtime)
        async with embedded_store(folder) as url:
            assert url.startswith(f"unix://{runtime}/")
        socket_of(url).parent.mkdir(mode=0o755)
        with pytest.raises(StoreUnusable, match="others may enter"):
            async with embedded_store(folder):
                pass


async def test_a_store_that_does_not_stop_is_killed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "STOP_TIMEOUT", 0.3)
    async with embedded_store(folder) as url:
        pid = pid_of(url)
        os.kill(pid, signal.SIGSTOP)
    wait_for(lambda: not alive(pid), "the end of the store")


async def test_a_killed_store_is_started_again(folder: Path) -> None:
    ear = RecordingListener()
    async with embedded_store(folder) as url:
        log = await RedisRoomLog.open(url, ear)
        entry = await log.append("room", EMPTY, b"kept", AppendOptions())
        await log.subscribe("room")
        with capture_logs() as logs:
            for times in (1, 2):
                pid = pid_of(url)
                os.kill(pid, signal.SIGKILL)
                await ear.until(lambda times=times: ear.gaps == ["room"] * times)  # type: ignore[misc]
                assert await log.read("room") == [entry]
                assert pid_of(url) != pid
                ends = [line for line in logs if "store has ended" in line["event"]]
                assert (ends[-1]["pid"], ends[-1]["status"]) == (pid, -signal.SIGKILL)
        last = pid_of(url)
        await log.close()
    assert not alive(last)


async def test_an_adopted_store_that_is_killed_is_started_again(folder: Path) -> None:
    process, url = run(folder)
    process.kill()
    process.wait()
    async with embedded_store(folder) as again:
        assert again == url
        os.kill(pid_of(again), signal.SIGKILL)
        log = None
        async with asyncio.timeout(60):
            while log is None:
                with suppress(StoreUnavailable):
                    log = await RedisRoomLog.open(again, RecordingListener())
        assert [entry.record for entry in await log.read("room")] == ["kept"]
        await log.close()


async def test_a_store_that_keeps_dying_is_reported_once_and_serves_when_the_cause_is_gone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(embedded, "ALARMING", 2)
    with capture_logs() as logs:
        async with embedded_store(folder) as url:
            pid = pid_of(url)
            (manifest,) = files(folder, "*.manifest")
            kept = manifest.read_text()
            manifest.write_text("nonsense\n")
            os.kill(pid, signal.SIGKILL)
            async with asyncio.timeout(60):
                while [entry["log_level"] for entry in logs].count("debug") < 3:  # noqa: ASYNC110
                    await asyncio.sleep(0.05)
            manifest.write_text(kept)
            log = None
            async with asyncio.timeout(60):
                while log is None:
                    with suppress(StoreUnavailable):
                        log = await RedisRoomLog.open(url, RecordingListener())
            await log.close()
    of_store = [entry for entry in logs if "the embedded store" in entry["event"]]
    told = [entry["log_level"] for entry in of_store if entry["log_level"] != "debug"]
    assert (set(told), told.index("critical")) == ({"error", "critical"}, len(told) - 1)


async def test_the_store_ends_if_its_owner_is_cancelled(folder: Path) -> None:
    pids: list[int] = []

    async def serve() -> None:
        async with embedded_store(folder) as url:
            pids.append(pid_of(url))
            await asyncio.Event().wait()

    task = asyncio.create_task(serve())
    async with asyncio.timeout(60):
        while not pids:  # noqa: ASYNC110
            await asyncio.sleep(0.01)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    assert not alive(pids[0])


async def test_a_store_that_still_reads_its_data_is_waited_for(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It answers some questions meanwhile, and refuses what a node needs."""

    class Reading:
        asked: ClassVar[list[str]] = []

        async def ask(self, command: str, *_: str) -> object:
            self.asked.append(command)
            if command != "CONFIG" and len(self.asked) < 4:
                raise redis.exceptions.BusyLoadingError("LOADING the dataset in memory")
            return b"dir", os.fsencode(folder)

        async def close(self) -> None: ...

    store = embedded._Store(folder, 1)
    monkeypatch.setattr(store, "_primary", Reading)
    assert await store._ready() == folder
    assert Reading.asked[-1] == "CONFIG"
    assert len(Reading.asked) >= 4
