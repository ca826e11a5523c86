"""A real PostgreSQL for tests, from a wheel that brings the server along."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def running_postgres(folder: Path) -> Iterator[str]:
    """The URL of a server that keeps its data in the folder; nothing of it runs afterwards."""
    with warnings.catch_warnings():  # about a folder that it does not need
        warnings.simplefilter("ignore")
        from pgserver.postgres_server import get_server
    server = get_server(folder, cleanup_mode="stop")
    try:
        yield str(server.get_uri())
    finally:
        server.cleanup()
