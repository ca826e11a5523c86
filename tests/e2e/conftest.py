"""Fixtures of the end to end tests: server processes and clients, cleared up whatever happens."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest

import pierule
from support.games import check_mirror, game, play, seat_both
from support.laptop import Laptop
from support.peer import Peer
from support.serving import Serving

# A busy machine is no failure.
pierule.connect.__kwdefaults__ = {**(pierule.connect.__kwdefaults__ or {}), "timeout": 60.0}

Opener: TypeAlias = Callable[..., Awaitable[Peer]]
Starter: TypeAlias = Callable[..., Serving]


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server for all tests of a process that leave it running. That of the first process starts
    from nothing."""
    serving = Serving(tmp_path_factory.mktemp("shared"))
    serving.forks = os.environ.get("PYTEST_XDIST_WORKER", "gw0") != "gw0"
    try:
        serving.start()
        yield serving
    finally:
        serving.clear()


@pytest.fixture
def server(shared: Serving) -> Iterator[Serving]:
    """The shared server. What it logs during the test is shown if the test fails, and an error
    that it logs is a failure."""
    seen = len(shared.output)
    entries = len(shared.logged)
    yield shared
    print(shared.output[seen:])
    errors = [entry for entry in shared.logged[entries:] if entry["level"] == "error"]
    assert not errors


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starter]:
    """Start servers that the test may kill: `start(*flags, store=None)`. A server that does not
    fork starts its processes as any installation does."""
    started: list[Serving] = []

    def begin(
        *flags: str, store: str | None = None, keys: str | None = None, forks: bool = True
    ) -> Serving:
        folder = tmp_path / f"node{len(started)}"
        folder.mkdir()
        environment = {} if keys is None else {"PIERULE_KEYS": keys}
        serving = Serving(folder, *flags, store=store, environment=environment)
        started.append(serving)
        serving.forks = forks
        serving.start()
        return serving

    try:
        yield begin
    finally:
        for serving in reversed(started):
            serving.clear()
            print(serving.output)


@pytest.fixture
async def opener() -> AsyncIterator[Opener]:
    """Open clients of any server, closed at the end: `opener(url, name, codec, token)`."""
    peers: list[Peer] = []

    async def open_peer(
        url: str, name: str | None = None, codec: str = "msgpack", token: str | None = None
    ) -> Peer:
        peer = await Peer.open(url, name, codec, token)
        peers.append(peer)
        return peer

    yield open_peer
    for peer in peers:
        await peer.close()


@pytest.fixture
def client(server: Serving, opener: Opener) -> Opener:
    """Open clients of the shared server: `client(name, codec, token)`."""

    async def open_peer(
        name: str | None = None, codec: str = "msgpack", token: str | None = None
    ) -> Peer:
        return await opener(server.url, name, codec, token)

    return open_peer


@pytest.fixture
async def bystanders(client: Opener) -> AsyncIterator[None]:
    """A game of two others that is in its middle while the test goes on, and then is finished."""
    of = game("loose", 5)
    players = await client("Ada", "msgpack"), await client("Bea", "json")
    room = await seat_both(*players, of)
    await play(room, of, players, end=10)
    yield
    await play(room, of, players, begin=10)
    for player in players:
        await player.until_over(room)
        check_mirror(player, room, of)


@pytest.fixture
def laptops() -> Iterator[Callable[[Path, str], Laptop]]:
    """Make computers, cleared up at the end."""
    made: list[Laptop] = []

    def make(config: Path, url: str) -> Laptop:
        made.append(Laptop(config, url))
        return made[-1]

    yield make
    for laptop in made:
        for program in laptop.programs:
            program.clear()


@pytest.fixture
def laptop(server: Serving, tmp_path: Path, laptops: Callable[[Path, str], Laptop]) -> Laptop:
    """A computer that plays on the shared server."""
    return laptops(tmp_path / "config", server.url)
