"""An export that is interrupted again and again, while three nodes archive games into a real
PostgreSQL, equals one that is not (SPEC 27)."""

from __future__ import annotations

import asyncio
import json
import random
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from typing import Any
from urllib.parse import urlencode, urlsplit

from e2e.conftest import Opener, Starter
from e2e.test_archiving import KEYS, resigned, until_kept
from pierule_protocol.messages import Leave
from support import stores
from support.postgres import running_postgres
from support.preloaded import terminal

INTERRUPTIONS = 100
BOUND = 60.0


@contextmanager
def api(url: str) -> Iterator[str]:
    """`pierule api` over an archive; its games."""
    command = [*terminal(), "api", "--archive", url, "--api-port", "0", "--api-rate", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[5]
        finally:
            process.terminate()


def read(url: str, after: str | None, most: int | None = None) -> list[dict[str, Any]]:
    """The lines behind a cursor; with `most` the connection is cut after so many bytes."""
    parts = urlsplit(url)
    asked = {"format": "ndjson"} | ({} if after is None else {"after": after})
    connection = HTTPConnection(parts.hostname or "", parts.port, timeout=BOUND)
    try:
        connection.request("GET", f"{parts.path}?{urlencode(asked)}")
        answer = connection.getresponse()
        assert answer.status == 200
        text = answer.read(most)
    finally:
        connection.close()
    *lines, _ = text.split(b"\n")
    return [json.loads(line) for line in lines]


async def test_an_export_that_is_interrupted_a_hundred_times_is_whole(
    start: Starter, opener: Opener
) -> None:
    rng = random.Random(15)
    with stores.single() as store, running_postgres() as database:
        nodes = [start("--archive", database, store=store.url, keys=KEYS) for _ in range(3)]
        rooms, ended, enough = set[str](), asyncio.Semaphore(0), asyncio.Event()

        async def play(number: int) -> None:
            url = nodes[number].url
            first, second = await opener(url, f"Ada{number}"), await opener(url, f"Bob{number}")
            while not enough.is_set():
                rooms.add(room := await resigned(first, second, f"r{len(rooms)}"))
                for peer in (first, second):  # who may follow only so many
                    await peer.do(Leave, room=room)
                ended.release()

        players = [asyncio.create_task(play(number)) for number in range(3)]
        lines: list[dict[str, Any]] = []
        with api(database) as url:
            await until_kept(database, set())
            for number in range(INTERRUPTIONS):
                if number % 4 == 0:  # games go on all the time
                    await ended.acquire()
                if not lines:
                    await until_kept(database, set(rooms))
                after = lines[-1]["cursor"] if lines else None
                came = await asyncio.to_thread(read, url, after, rng.randrange(1, 4_000))
                lines += came
            enough.set()
            await asyncio.gather(*players)
            await until_kept(database, rooms)
            lines += await asyncio.to_thread(read, url, lines[-1]["cursor"])
            whole = await asyncio.to_thread(read, url, None)
    assert lines == whole
    assert {line["room"] for line in lines} == rooms
    assert [line["feed"] for line in lines] == list(range(1, len(rooms) + 1))
    assert len(rooms) > 20
