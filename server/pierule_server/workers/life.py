"""One life of a worker, as its supervisor sees it: a process, a channel, and its connections."""

from __future__ import annotations

import asyncio
import signal
import socket
from asyncio.subprocess import Process
from collections.abc import Sequence
from itertools import count
from typing import Protocol

import msgspec
import structlog

from pierule_server.gateway.arrivals import Arrival
from pierule_server.operations.child_processes import Child, begin
from pierule_server.workers.channel import Channel
from pierule_server.workers.messages import (
    FORM,
    AnyFromWorker,
    AnyToWorker,
    Begun,
    Family,
    Left,
    Measure,
    Measured,
    Present,
    Setup,
    Spent,
    State,
    Take,
    Taken,
)

SILENCE = 5.0
"""Seconds after which a worker that says nothing counts as stuck. It tells its state every second.
"""

MEASURE_SECONDS = 2.0

_DECODER: msgspec.msgpack.Decoder[AnyFromWorker] = msgspec.msgpack.Decoder(AnyFromWorker)

_logger = structlog.get_logger(__name__)


class Company(Protocol):
    """What a worker's life is part of."""

    def begun(self, life: Life) -> None:
        """It serves."""

    def give_back(self, connected: socket.socket, arrival: Arrival | None) -> None:
        """A connection that it was passed and has not taken, at its end."""

    def spent(self, life: Life, message: Spent) -> None:
        """It tells what was drawn there."""

    def present(self, life: Life, message: Present) -> None:
        """It tells how often a user is there."""


class Life:
    """A worker process from its start to its end. `serving` is done when it serves, or has ended
    before."""

    def __init__(self, number: int, process: Process, end: socket.socket, company: Company) -> None:
        self._loop = asyncio.get_running_loop()
        self.number = number
        self.process = process
        self.serving: asyncio.Future[bool] = self._loop.create_future()
        self.ended = asyncio.create_task(self._ended(), name=f"end of worker {number}")
        self.draining = False
        self.state = State(None, [])
        self.began = self.heard = self._loop.time()
        self.families: Sequence[Family] = ()
        self._stuck_since: float | None = None
        self._company = company
        self._connections: dict[int, Arrival | None] = {}
        self._passed: dict[int, socket.socket] = {}
        self._serials = count(1)
        self._measuring: dict[int, asyncio.Future[None]] = {}
        self._channel: Channel[AnyFromWorker] = Channel(end, _DECODER, self._receive)

    @classmethod
    async def begin(cls, number: int, settings: dict[str, str], company: Company) -> Life:
        """Start a worker's process, which waits for `set_up`. Raises OSError."""
        ours, theirs = socket.socketpair()
        with theirs:
            arguments = "serve", "--worker", str(number), "--channel", str(theirs.fileno())
            child = Child("a worker", arguments, settings, sockets=[theirs.fileno()], own_log=True)
            try:
                process = await begin(child)
            except BaseException:
                ours.close()
                raise
        _logger.info("a worker starts", number=number, pid=process.pid)
        return cls(number, process, ours, company)

    def set_up(self, setup: Setup) -> None:
        """Have it serve."""
        self.tell(setup)

    def tell(self, message: AnyToWorker) -> None:
        """Send it a message."""
        self._channel.send(message)

    @property
    def load(self) -> int:
        """How many connections it has."""
        return len(self._connections)

    @property
    def serves(self) -> bool:
        """Whether it can get connections at all."""
        running = self.process.returncode is None
        return running and self.serving.done() and self.serving.result()

    @property
    def well(self) -> bool:
        """Whether it serves, and tells so."""
        return self.serves and not self.stuck

    @property
    def stuck(self) -> bool:
        """Whether it is there and does nothing."""
        return self._channel.clogged or self._loop.time() - self.heard > SILENCE

    def hangs(self, seconds: float) -> bool:
        """Whether it has been stuck for so long, as far as this was asked now and then."""
        now = self._loop.time()
        if not self.stuck:
            self._stuck_since = None
        elif self._stuck_since is None:
            self._stuck_since = now
        return self._stuck_since is not None and now - self._stuck_since >= seconds

    @property
    def uptime(self) -> float:
        """Seconds since it began."""
        return self._loop.time() - self.began

    def take(self, connected: socket.socket, arrival: Arrival | None) -> None:
        """Pass it a connection."""
        serial = next(self._serials)
        self._connections[serial] = arrival
        self._passed[serial] = connected
        address, crowded = (arrival.address, arrival.crowded) if arrival else (None, False)
        self._channel.send(Take(serial, address, crowded), connected)

    async def measure(self) -> None:
        """Ask for its metrics, its `families`; they stay as they are if it does not answer."""
        if not self.well:
            return
        number = next(self._serials)
        self._measuring[number] = asked = self._loop.create_future()
        self._channel.send(Measure(number))
        await asyncio.wait([asked, self.ended], timeout=MEASURE_SECONDS,
                           return_when=asyncio.FIRST_COMPLETED)  # fmt: skip
        self._measuring.pop(number, None)

    def drain(self) -> None:
        """Have it send its clients away and end; asked again, at once."""
        self.draining = True
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """End it without a word."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        if self.process.returncode is None:
            self.process.send_signal(number)

    async def _ended(self) -> int:
        """The exit status."""
        status = await self.process.wait()
        if not self.serving.done():
            self.serving.set_result(False)
        self._channel.finish()
        while self._passed:
            serial, connected = self._passed.popitem()
            self._company.give_back(connected, self._connections.pop(serial, None))
        for arrival in self._connections.values():
            if arrival is not None:
                arrival.leave()
        self._connections.clear()
        return status

    def _receive(self, message: AnyFromWorker, _: socket.socket | None) -> None:
        self.heard = self._loop.time()
        match message:
            case Begun(form):
                self._begin(form)
            case State():
                self.state = message
            case Taken(serial) | Left(serial):
                self._follow(message, serial)
            case Spent():
                self._company.spent(self, message)
            case Present():
                self._company.present(self, message)
            case Measured(number, families):
                self.families = families
                asked = self._measuring.get(number)
                if asked is not None and not asked.done():
                    asked.set_result(None)

    def _begin(self, form: int) -> None:
        if form != FORM:
            _logger.error("a worker of another release: restart all of the service")
            self.drain()
        elif not self.serving.done():
            self.serving.set_result(True)
            self._company.begun(self)

    def _follow(self, message: Taken | Left, serial: int) -> None:
        """What becomes of a connection."""
        passed = self._passed.pop(serial, None)
        if passed is not None:
            passed.close()
        if isinstance(message, Left):
            arrival = self._connections.pop(serial, None)
            if arrival is not None:
                arrival.leave()


def leave(connected: socket.socket, arrival: Arrival | None) -> None:
    """Let a connection go."""
    connected.close()
    if arrival is not None:
        arrival.leave()
