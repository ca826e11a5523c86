"""Replaces the world by a simulated one: clocks, random numbers and the logs of nodes.

Product code asks `pierule_protocol.world`, so there it is enough to enter another one. Libraries
ask the modules `time`, `random` and `secrets`, which are replaced for as long as a simulation runs.
"""

from __future__ import annotations

import asyncio
import gc
import logging
import random
import secrets
import ssl
import sys
import time
import traceback
from collections.abc import Callable, Iterator, MutableMapping
from contextlib import contextmanager
from functools import cache
from importlib import metadata
from itertools import count
from random import Random
from typing import Any

import structlog

from pierule import connection
from pierule_protocol.world import entered
from pierule_server import node
from pierule_server.connections.connection import Connection
from pierule_server.store.driver.primary import Primary
from simulation.loop import BEGIN, PROCESS, Process, SimulatedLoop, muted

VERSION = cache(metadata.version)
SINCE_1970 = 1_800_000_000.0
COLLECTED = 25
"""What so many simulations have left is searched for garbage at once, which takes long. It is for
processes that try many variants of a seed: others end before."""
_BEGUN = count()
_ALL_TASKS = vars(asyncio.tasks)["_all_tasks" if sys.version_info < (3, 12) else "_scheduled_tasks"]


class SimulatedWorld:
    """The world of one process."""

    def __init__(self, loop: SimulatedLoop, process: Process, seed: int | str) -> None:
        self.random = Random(f"{seed} {process.name}")
        self._secrets = Random(f"{seed} {process.name} secrets")
        self._loop = loop
        self._process = process

    def secret(self, size: int) -> bytes:
        return self._secrets.randbytes(size)

    def wall(self) -> float:
        return wall(self._loop) + self._process.offset

    def monotonic(self) -> float:
        return self._loop.time()

    def resolve(self, host: str, port: int) -> list[Any]:
        return [(2, 1, 6, "", (host, port))]


def wall(loop: SimulatedLoop) -> float:
    """Seconds since 1970 by a clock that nobody sets."""
    return SINCE_1970 - BEGIN + loop.time()


@contextmanager
def belonging(loop: SimulatedLoop, process: Process, seed: int | str) -> Iterator[None]:
    """What is begun inside belongs to this process, and has its world."""
    token = PROCESS.set(process)
    try:
        with entered(SimulatedWorld(loop, process, seed)):
            yield
    finally:
        PROCESS.reset(token)


@contextmanager
def replaced(
    loop: SimulatedLoop, seed: int | str, log: Callable[[str, str], None], writer: Any = None
) -> Iterator[None]:
    """Clocks, chance and logs are the simulation's. `log` gets the name of a process and what it
    has logged; nodes write to the archive by this writer."""
    kept: list[tuple[Any, str, Any]] = []

    def put(owner: Any, name: str, value: Any) -> None:
        kept.append((owner, name, getattr(owner, name)))
        setattr(owner, name, value)

    dice = Random(f"{seed} secrets")
    state, config = random.getstate(), structlog.get_config()
    random.seed(f"{seed} random")
    for name in ("monotonic", "perf_counter"):
        put(time, name, loop.time)
    put(time, "time", lambda: wall(loop))
    put(secrets, "token_bytes", lambda size=32: dice.randbytes(size))
    put(secrets, "token_hex", lambda size=32: dice.randbytes(size).hex())
    put(ssl, "create_default_context", lambda *_: None)  # it reads what the machine trusts
    put(node, "_writer", lambda _: writer)
    put(connection, "version", VERSION)  # clients read it from a file, each time
    put(_ALL_TASKS, "add", lambda _: None)  # nobody asks for all of them
    for numbered in (Connection, Primary):
        put(numbered, "__hash__", _by_number())
    structlog.configure(
        processors=[_noting(log)],
        wrapper_class=structlog.make_filtering_bound_logger(logging.INFO),
        logger_factory=structlog.ReturnLoggerFactory(), cache_logger_on_first_use=False,
    )  # fmt: skip
    if next(_BEGUN) % COLLECTED == 0:
        with muted():
            gc.collect()
    gc.disable()  # for good: what is collected when would depend on what was there before
    try:
        yield
    finally:
        for owner, name, value in reversed(kept):
            setattr(owner, name, value)
        random.setstate(state)
        structlog.configure(**config)


def _by_number() -> Callable[[Any], int]:
    """A hash that does not depend on where an object lies in memory."""
    known: dict[int, tuple[Any, int]] = {}

    def number(it: Any) -> int:
        return known.setdefault(id(it), (it, len(known)))[1]

    return number


def _noting(log: Callable[[str, str], None]) -> Any:
    def note(_: Any, level: str, event: MutableMapping[str, Any]) -> Any:
        process = PROCESS.get(None)
        error = event.pop("exc_info", None)
        rest = " ".join(f"{key}={value}" for key, value in sorted(event.items()) if key != "event")
        text = f"{level}: {event.get('event')} {rest}"
        log(process.name if process is not None else "outside", text + _trace(error))
        raise structlog.DropEvent

    return note


def _trace(error: Any) -> str:
    if not isinstance(error, BaseException):
        return ""
    return "\n" + "".join(traceback.format_exception(error))
