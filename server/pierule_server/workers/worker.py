"""A worker: a node that gets its connections from a supervisor, and tells it its state."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from functools import partial

import msgspec
import structlog

from pierule_server import metrics
from pierule_server.gateway.peer_socket import Passed
from pierule_server.node import Host, Node, running_node, spare_the_collector
from pierule_server.operations.stopping import Stopping
from pierule_server.settings import Settings
from pierule_server.tasks import Tasks
from pierule_server.workers.channel import Channel
from pierule_server.workers.ledger import WorkerLedger
from pierule_server.workers.merging import families_of
from pierule_server.workers.messages import (
    FORM,
    AnyToWorker,
    Begun,
    Elsewhere,
    Homes,
    Left,
    Measure,
    Measured,
    Setup,
    Spent,
    State,
    Take,
    Taken,
)

PULSE = 1.0
"""Seconds between two reports of the worker's state."""

LAST = 0
"""The number of the metrics that a worker sends at its end, unasked."""

_DECODER: msgspec.msgpack.Decoder[AnyToWorker] = msgspec.msgpack.Decoder(AnyToWorker)

_logger = structlog.get_logger(__name__)


async def work(settings: Settings, channel: int) -> None:
    """Serve the connections that come through `channel`, the descriptor of an inherited socket.
    Ends when somebody asks it to, or when the supervisor is gone. Raises what `running_node`
    raises."""
    stopping = Stopping()
    stopping.with_input()
    worker = Worker(socket.socket(fileno=channel), stopping.need)
    try:
        if not await stopping.unless(worker.setup):
            return
        setup = worker.setup.result()
        host = Host(setup.url, setup.store)
        async with running_node(settings, setup.api, host) as node:
            spare_the_collector()
            worker.begin(node)
            _logger.info("a worker serves")
            await stopping.asked()
            await stopping.drain(node.drain())
            worker.tell_counts(LAST)
            await worker.rest()
    finally:
        await worker.end()


class Worker:
    """A worker's end of the channel. If the supervisor closes the channel, it calls `lost`."""

    def __init__(self, end: socket.socket, lost: Callable[[], None]) -> None:
        self.setup: asyncio.Future[Setup] = asyncio.get_running_loop().create_future()
        self._channel = Channel(end, _DECODER, self._receive, (Take,), lost)
        self._tasks = Tasks()
        self._node: Node | None = None
        self._ledger: WorkerLedger | None = None

    def begin(self, node: Node) -> None:
        """Tell the supervisor that the node serves, and go on telling its state."""
        self._node = node
        self._ledger = WorkerLedger(node.listener, self._channel.send)
        self.tell()
        self._channel.send(Begun(FORM))
        self._tasks.keep(self._pulse, "pulse of a worker")

    def tell(self) -> None:
        """Tell the supervisor the node's state."""
        assert self._node is not None
        health = self._node.health
        self._channel.send(State(health.trouble(), health.lines()))

    def tell_counts(self, number: int) -> None:
        """Send the supervisor the node's metrics, under this number."""
        assert self._node is not None
        self._node.health.measure()
        self._channel.send(Measured(number, families_of(metrics.REGISTRY)))

    async def rest(self) -> None:
        """Stop telling the state: the node is about to end."""
        await self._tasks.stop()

    async def end(self) -> None:
        """Stop everything, and close the channel."""
        await self._tasks.stop()
        self._channel.close()

    async def _pulse(self) -> None:
        while True:
            await asyncio.sleep(PULSE)
            self.tell()

    def _receive(self, message: AnyToWorker, connected: socket.socket | None) -> None:
        match message:
            case Setup():
                self.setup.set_result(message)
            case Take():
                self._begin_to_take(message, connected)
            case Spent() | Elsewhere() if self._ledger is not None:
                self._ledger.hear(message)
            case Homes(buckets) if self._node is not None:
                self._node.listener.affinity.here = frozenset(buckets)
            case Measure(number):
                self.tell_counts(number)

    def _begin_to_take(self, message: Take, connected: socket.socket | None) -> None:
        if connected is None:
            _logger.error("a connection was lost: raise the limit of open files")
            self._channel.send(Left(message.serial))
            return
        self._channel.send(Taken(message.serial))
        self._tasks.begin(self._take(message, connected), "a connection is taken")

    async def _take(self, message: Take, connected: socket.socket) -> None:
        assert self._node is not None
        left = partial(self._channel.send, Left(message.serial))
        try:
            passed = Passed(message.address, message.crowded, left)
            await self._node.listener.take(connected, passed)
        except OSError:  # the connection has ended meanwhile
            connected.close()
            left()
