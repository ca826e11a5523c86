"""Every kind of store, for the tests that all of them must pass."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio

from pierule_server.store.driver import access
from simulation.model.serving import served
from support import stores
from support.backend import Backend


@pytest.fixture(scope="module")
def model() -> Iterator[str]:
    """The store of simulations."""
    with served() as url:
        yield url


@pytest_asyncio.fixture(params=["model", "valkey", "cluster", *stores.OTHERS])
async def backend(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Backend]:
    # What does not answer in time is left out of a sweep. Here the store does not hang.
    monkeypatch.setattr(access, "SWEEP_SECONDS", 60.0)
    store: str | stores.Server | stores.Cluster = request.getfixturevalue(request.param)
    made = Backend(store if isinstance(store, str) else store.url)
    yield made
    for log in made.logs:
        await log.close()


@pytest.fixture
def room() -> str:
    return f"room-{secrets.token_hex(6)}"
