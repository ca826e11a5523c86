"""The model at a Unix socket, for tests that ask it what they ask real stores."""

from __future__ import annotations

import asyncio
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import Future
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

from simulation.model.server import Store


@asynccontextmanager
async def serving(store: Store) -> AsyncIterator[str]:
    """The URL at which this event loop serves a store, for as long as the context lasts."""
    with tempfile.TemporaryDirectory(prefix="pr-") as folder:
        path = Path(folder, "s")
        server = await asyncio.get_running_loop().create_unix_server(store.accept, path)
        try:
            yield f"unix://{path}"
        finally:
            server.close()
            for session in list(store.sessions):
                session.abort()
            await asyncio.sleep(0)


@contextmanager
def served() -> Iterator[str]:
    """The URL of a new store, which a thread serves for as long as the context lasts."""
    started: Future[str] = Future()
    loop, end = asyncio.new_event_loop(), asyncio.Event()

    async def serve() -> None:
        async with serving(Store(lambda: time.time_ns() // 1_000)) as url:
            started.set_result(url)
            await end.wait()

    def run() -> None:
        try:
            loop.run_until_complete(serve())
        except OSError as error:
            started.set_exception(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield started.result()
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join()
        loop.close()
