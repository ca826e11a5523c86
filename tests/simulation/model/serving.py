"""The model at a Unix socket, for tests that ask it what they ask real stores."""

from __future__ import annotations

import asyncio
import tempfile
import threading
import time
from collections.abc import AsyncIterator, Iterator
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
    loop, ready, end = asyncio.new_event_loop(), threading.Event(), asyncio.Event()
    urls = []

    async def serve() -> None:
        async with serving(Store(lambda: time.time_ns() // 1_000)) as url:
            urls.append(url)
            ready.set()
            await end.wait()

    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
    thread.start()
    ready.wait()
    try:
        yield urls[0]
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join()
        loop.close()
