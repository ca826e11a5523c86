"""What a process learns from the world around it: the time, chance, and the addresses of hosts.

Whatever else differs from one run to the next comes from the running event loop: timers, tasks,
sockets, threads. So a simulation brings two things, an event loop and a `World`, and has a whole
node and its clients in its hands. A linter keeps every other way to clocks and chance out of the
server and the client library.

The world is kept in a context variable, as `decimal` keeps its precision: what is started inside
`entered` has that world, with all its tasks and timers, and nobody has to hand it on.
"""

from __future__ import annotations

import secrets
import socket
import time
from base64 import urlsafe_b64encode
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from random import Random
from typing import Any, Protocol


class World(Protocol):
    """What can be replaced."""

    @property
    def random(self) -> Random:
        """Dice, for what nobody need be kept from guessing."""
        ...

    def secret(self, size: int) -> bytes:
        """So many bytes that nobody can guess."""
        ...

    def wall(self) -> float:
        """Seconds since 1970, by a clock that may be set."""
        ...

    def monotonic(self) -> float:
        """Seconds since some moment, by a clock that nobody sets."""
        ...

    def resolve(self, host: str, port: int) -> list[Any]:
        """The addresses of a host for TCP, as `socket.getaddrinfo` gives them; blocks. Raises
        OSError."""
        ...


class Machine:
    """This machine."""

    def __init__(self) -> None:
        self.random = Random()  # noqa: S311 - where a secret is wanted, there is `secret`

    def secret(self, size: int) -> bytes:
        return secrets.token_bytes(size)

    def wall(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.perf_counter()

    def resolve(self, host: str, port: int) -> list[Any]:
        return socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)


_MACHINE = Machine()
_world: ContextVar[World] = ContextVar("world", default=_MACHINE)


@contextmanager
def entered(other: World) -> Iterator[None]:
    """Have this world for all that is done and started inside."""
    token = _world.set(other)
    try:
        yield
    finally:
        _world.reset(token)


def random() -> Random:
    """See `World.random`."""
    return _world.get().random


def token_hex(size: int) -> str:
    """A secret of so many bytes, as hexadecimal digits."""
    return _world.get().secret(size).hex()


def token_urlsafe(size: int) -> str:
    """A secret of so many bytes, as text that URLs bear."""
    return urlsafe_b64encode(_world.get().secret(size)).rstrip(b"=").decode()


def wall() -> float:
    """See `World.wall`."""
    return _world.get().wall()


def monotonic() -> float:
    """See `World.monotonic`."""
    return _world.get().monotonic()


def resolve(host: str, port: int) -> list[Any]:
    """See `World.resolve`."""
    return _world.get().resolve(host, port)
