"""One process of a worker, as the supervisor sees it, with its channel and its connections."""

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
"""Seconds after which a silent worker counts as stuck. A worker tells its state every second."""

MEASURE_SECONDS = 2.0

_DECODER: msgspec.msgpack.Decoder[AnyFromWorker] = msgspec.msgpack.Decoder(AnyFromWorker)

_logger = structlog.get_logger(__name__)


class Company(Protocol):
    """What a life reports to: the crew."""

    def begun(self, life: Life) -> None:
        """The worker has begun to serve."""

    def give_back(self, connected: socket.socket, arrival: Arrival | None) -> None:
        """The worker ended before it took this connection."""

    def spent(self, life: Life, message: Spent) -> None:
        """The worker says what was drawn there."""

    def present(self, life: Life, message: Present) -> None:
        """The worker says how many connections a user has there."""


class Life:
    """A worker's process from its start to its end. `serving` is true once it serves, false if it
    ended before. `ended` gives its exit status."""

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
        _logger.info("a worker starts", worker=number, pid=process.pid)
        return cls(number, process, ours, company)

    def set_up(self, setup: Setup) -> None:
        """Let the worker begin to serve."""
        self.tell(setup)

    def tell(self, message: AnyToWorker) -> None:
        """Send the worker a message."""
        self._channel.send(message)

    @property
    def load(self) -> int:
        """The number of connections that the worker has."""
        return len(self._connections)

    @property
    def serves(self) -> bool:
        """Whether the worker has begun to serve and its process still runs."""
        running = self.process.returncode is None
        return running and self.serving.done() and self.serving.result()

    @property
    def well(self) -> bool:
        """Whether the worker serves and answers."""
        return self.serves and not self.stuck

    @property
    def stuck(self) -> bool:
        """Whether the worker does not read its channel, or has been silent for `SILENCE`."""
        return self._channel.clogged or self._loop.time() - self.heard > SILENCE

    def hangs(self, seconds: float) -> bool:
        """Whether the worker has been stuck for this many seconds, at every call since then."""
        now = self._loop.time()
        if not self.stuck:
            self._stuck_since = None
        elif self._stuck_since is None:
            self._stuck_since = now
        return self._stuck_since is not None and now - self._stuck_since >= seconds

    @property
    def uptime(self) -> float:
        """Seconds since the process started."""
        return self._loop.time() - self.began

    def take(self, connected: socket.socket, arrival: Arrival | None) -> None:
        """Pass the worker a connection."""
        serial = next(self._serials)
        self._connections[serial] = arrival
        self._passed[serial] = connected
        address, crowded = (arrival.address, arrival.crowded) if arrival else (None, False)
        self._channel.send(Take(serial, address, crowded), connected)

    async def measure(self) -> None:
        """Ask the worker for its metrics and keep them as `families`. If it does not answer in
        `MEASURE_SECONDS`, `families` stay as they are."""
        if not self.well:
            return
        number = next(self._serials)
        self._measuring[number] = asked = self._loop.create_future()
        self._channel.send(Measure(number))
        await asyncio.wait([asked, self.ended], timeout=MEASURE_SECONDS,
                           return_when=asyncio.FIRST_COMPLETED)  # fmt: skip
        self._measuring.pop(number, None)

    def drain(self) -> None:
        """Ask the worker to send its clients away and end. A second call asks it to hurry."""
        self.draining = True
        self._signal(signal.SIGTERM)

    def kill(self) -> None:
        """Kill the process."""
        self._signal(signal.SIGKILL)

    def _signal(self, number: signal.Signals) -> None:
        if self.process.returncode is None:
            self.process.send_signal(number)

    async def _ended(self) -> int:
        """Wait for the end of the process, clear up, and return the exit status."""
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
            _logger.error("a worker has another release than the supervisor: restart the service",
                          worker=self.number)  # fmt: skip
            self.drain()
        elif not self.serving.done():
            self.serving.set_result(True)
            self._company.begun(self)

    def _follow(self, message: Taken | Left, serial: int) -> None:
        """The worker has taken a connection, or a connection has ended."""
        passed = self._passed.pop(serial, None)
        if passed is not None:
            passed.close()
        if isinstance(message, Left):
            arrival = self._connections.pop(serial, None)
            if arrival is not None:
                arrival.leave()


def leave(connected: socket.socket, arrival: Arrival | None) -> None:
    """Close a connection, and stop counting it."""
    connected.close()
    if arrival is not None:
        arrival.leave()
