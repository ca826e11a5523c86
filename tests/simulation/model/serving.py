"""The model at a Unix socket, for tests that ask real stores the same things."""

from __future__ import annotations

import asyncio
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from simulation.model.server import Store


@contextmanager
def served() -> Iterator[str]:
    """The URL of a new store, which a thread serves for as long as the context lasts."""
    with tempfile.TemporaryDirectory(prefix="pr-") as folder:
        path = Path(folder, "s")
        loop, ready, end = asyncio.new_event_loop(), threading.Event(), asyncio.Event()

        async def serve() -> None:
            store = Store(lambda: time.time_ns() // 1_000)
            server = await loop.create_unix_server(store.accept, path)
            ready.set()
            await end.wait()
            server.close()
            for session in list(store.sessions):
                session.abort()
            await asyncio.sleep(0)

        thread = threading.Thread(target=loop.run_until_complete, args=(serve(),))
        thread.start()
        ready.wait()
        try:
            yield f"unix://{path}"
        finally:
            loop.call_soon_threadsafe(end.set)
            thread.join()
            loop.close()
