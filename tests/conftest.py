"""Fixtures for all tests: real stores, started once for each test process."""

from __future__ import annotations

import signal
from collections.abc import Iterator

import pytest

from support import stores

# Some tests send it; what runs in the background of a shell ignores it, as does all that it starts.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def valkey() -> Iterator[stores.Server]:
    """A single Valkey, the binary of the embedded store. Leave it as you found it."""
    with stores.single() as server:
        yield server


@pytest.fixture(scope="session")
def store_of_nodes() -> Iterator[stores.Server]:
    """A single Valkey that only nodes write to: what they list, they must be able to read."""
    with stores.single() as server:
        yield server


@pytest.fixture(scope="session")
def redis_server() -> Iterator[stores.Server]:
    """The Redis on the PATH; asked for only where there is one."""
    assert stores.REDIS is not None
    with stores.single(stores.REDIS) as server:
        yield server


@pytest.fixture(scope="session")
def cluster() -> Iterator[stores.Cluster]:
    """Three Valkey primaries. Slots may move between them."""
    with stores.cluster() as servers:
        yield servers
