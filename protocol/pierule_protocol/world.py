"""What a process learns from the world around it: the time, chance, and the addresses of hosts.

Everything else that differs from run to run comes from the running event loop: timers, tasks,
sockets, threads. So a simulation needs only its own event loop and `World` to control whole nodes
and their clients. A linter forbids every other way to clocks and chance in the server and in the
client library.

The world is a context variable, like the precision of `decimal`. Everything that starts inside
`entered` has that world, with all its tasks and timers, and nobody needs to pass it on.
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
    """What a simulation can replace."""

    @property
    def random(self) -> Random:
        """Random numbers, for everything that is not a secret."""
        ...

    def secret(self, size: int) -> bytes:
        """`size` bytes that nobody can guess."""
        ...

    def wall(self) -> float:
        """Seconds since 1970, by a clock that may jump when it is set."""
        ...

    def monotonic(self) -> float:
        """Seconds since some moment, by a clock that never jumps."""
        ...

    def resolve(self, host: str, port: int) -> list[Any]:
        """The addresses of a host for TCP, as from `socket.getaddrinfo`. It blocks. Raises
        OSError."""
        ...


class Machine:
    """The real world: clocks, chance and resolver of this machine."""

    def __init__(self) -> None:
        self.random = Random()  # noqa: S311 - secrets come from `secret`

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
    """Use this world for everything that happens and starts inside."""
    token = _world.set(other)
    try:
        yield
    finally:
        _world.reset(token)


def random() -> Random:
    """See `World.random`."""
    return _world.get().random


def token_hex(size: int) -> str:
    """A secret of `size` bytes, as hexadecimal digits."""
    return _world.get().secret(size).hex()


def token_urlsafe(size: int) -> str:
    """A secret of `size` bytes, as text for URLs."""
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
