"""Connections between processes, without a socket: streams of bytes that come in order, late, split
up, or no more.

What a network does to TCP is done here: a link can be slow, silent in one direction or both
(half-open: what is written waits, and comes when the silence ends), or broken (a part of what was
under way is lost, and both ends are told).
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable
from contextvars import Context, copy_context
from itertools import count
from typing import Any

from simulation.loop import PROCESS, Process, SimulatedLoop

WINDOW = 65_536
"""Bytes that the system takes from a writer though nobody reads them."""
HIGH = 65_536
SPLIT = 0.02
"""How often what was written in one piece comes in two."""
SPIKE = 0.01
"""How often a piece takes much longer."""


class Transport(asyncio.Transport):
    """One end of a link."""

    def __init__(self, link: Link, process: Process, context: Context) -> None:
        super().__init__()
        self.link = link
        self.process = process
        self.peer: Transport
        self.protocol: Any = None
        self.closing = False
        self.lost = False
        self.silent = False
        """Whether what it writes gets stuck."""
        self.names: dict[str, Any] = {}
        self._context = context
        self._loop = link.loop
        self._stuck: deque[bytes | Exception | None] = deque()
        self.arrival = 0.0
        self._reading = True
        self._unread: deque[bytes | None] = deque()
        self._outstanding = 0
        self._limits = HIGH // 4, HIGH
        self._paused = False
        self._eof = False

    # --- asyncio's side ----------------------------------------------------------------------

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        return self.names.get(name, default)

    def set_protocol(self, protocol: Any) -> None:
        self.protocol = protocol

    def get_protocol(self) -> Any:
        return self.protocol

    def is_closing(self) -> bool:
        return self.closing

    def is_reading(self) -> bool:
        return self._reading and not self.closing

    def pause_reading(self) -> None:
        self._reading = False

    def resume_reading(self) -> None:
        if not self._reading and not self.closing:
            self._reading = True
            if self._unread:
                self._loop.call_soon(self._read, context=self._context)

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        high = HIGH if high is None else high
        self._limits = high // 4 if low is None else low, high

    def get_write_buffer_limits(self) -> tuple[int, int]:
        return self._limits

    def get_write_buffer_size(self) -> int:
        return max(0, self._outstanding - WINDOW)

    def can_write_eof(self) -> bool:
        return True

    def write(self, data: Any) -> None:
        if self.closing or self._eof or not data:
            return
        if type(data) is not bytes:
            data = bytes(data)
        self._outstanding += len(data)
        self.link.network.bytes += len(data)
        rng = self._loop.rng
        if len(data) > 1 and rng.random() < SPLIT:
            cut = rng.randrange(1, len(data))
            self._send(data[:cut])
            data = data[cut:]
        self._send(data)
        if self._outstanding > WINDOW + self._limits[1] and not self._paused:
            self._paused = True
            self.protocol.pause_writing()

    def writelines(self, list_of_data: Any) -> None:
        self.write(b"".join(list_of_data))

    def write_eof(self) -> None:
        if not self._eof and not self.closing:
            self._eof = True
            self._send(None)

    def close(self) -> None:
        if self.closing:
            return
        self.write_eof()
        self.closing = True
        self._loop.call_soon(self._lose, None, context=self._context)

    def abort(self) -> None:
        if self.lost or not self.process.alive:
            return
        if not self.closing:
            self.closing = True
            self._loop.call_soon(self._lose, None, context=self._context)
        self._send(ConnectionResetError("reset by peer"))

    # --- the way to the other end ------------------------------------------------------------

    def _send(self, piece: bytes | Exception | None) -> None:
        if self.silent:
            self._stuck.append(piece)
            return
        loop, peer = self._loop, self.peer
        rng = loop.rng
        took = self.link.latency * (0.5 + rng.random())
        if rng.random() < SPIKE:
            took += rng.expovariate(10.0)
        self.arrival = max(self.arrival, loop._now + took)
        loop.call_at(self.arrival, peer.take, piece, context=peer._context)

    def speak(self) -> None:
        """What was stuck goes on its way; where the other end is gone, this one hears of it."""
        self.silent = False
        stuck, self._stuck = self._stuck, deque()
        if self.process.alive:
            for piece in stuck:
                self._send(piece)

    def take(self, piece: bytes | Exception | None) -> None:
        """Take what has come."""
        if self.lost or self.link.broken:
            return
        if isinstance(piece, Exception):
            self.closing = True
            self._lose(piece)
            return
        if self.closing:
            if piece is not None:
                self._send(ConnectionResetError("nobody is there"))
            return
        self._unread.append(piece)
        if self._reading:
            self._read()

    def _read(self) -> None:
        while self._unread and self._reading and not self.closing:
            piece = self._unread.popleft()
            if piece is None:
                if not self.protocol.eof_received():
                    self.close()
                return
            if self._loop.traced:
                self._loop.note(self.process.number, piece)
            self.peer.was_read(len(piece))
            try:
                self.protocol.data_received(piece)
            except Exception as error:  # noqa: BLE001 - as asyncio's transports do
                self._loop.call_exception_handler(
                    {"message": "Fatal error: protocol.data_received() call failed.",
                     "exception": error, "protocol": self.protocol}
                )  # fmt: skip
                self.abort()

    def was_read(self, size: int) -> None:
        self._outstanding -= size
        if self._paused and not self.lost and self._outstanding <= WINDOW + self._limits[0]:
            self._paused = False
            self._loop.call_soon(self.protocol.resume_writing, context=self._context)

    def _lose(self, error: Exception | None) -> None:
        if self.lost:
            return
        self.lost = self.closing = True
        self.link.ended()
        if self.protocol is not None:
            self.protocol.connection_lost(error)

    def broken(self, error: Exception) -> None:
        """The link has broken: this end is told, if somebody is there."""
        self._loop.call_soon(self._break, error, context=self._context)

    def _break(self, error: Exception) -> None:
        self.closing = True
        self._lose(error)


class Link:
    """A connection: of the process that made it (`near`) to a listener (`far`)."""

    def __init__(self, network: Network, number: int, near: Process, far: Process) -> None:
        self.network = network
        self.loop = network.loop
        self.number = number
        self.near, self.far = near, far
        self.latency = network.latency(near, far)
        self.broken = False
        self.ends: list[Transport] = []

    def cut(self) -> None:
        """Break it. What was under way is lost."""
        if not self.broken:
            self.broken = True
            for end in self.ends:
                if not end.lost:
                    end.broken(ConnectionResetError("the link broke"))

    def silence(self, near: bool, far: bool) -> None:
        """From now on nothing comes through from these ends."""
        for end, silent in zip(self.ends, (near, far), strict=True):
            end.silent = end.silent or silent

    def heal(self) -> None:
        """Everything comes through again; an end whose other one is gone is told."""
        for end in self.ends:
            end.speak()
        for end in self.ends:
            if (end.lost or not end.process.alive) and not end.peer.lost:
                end.peer.broken(ConnectionResetError("reset by peer"))

    def ended(self) -> None:
        if all(end.lost or not end.process.alive for end in self.ends):
            self.network.links.pop(self.number, None)


class Listening:
    """What `create_server` gives: a port on which a process listens. It is its own socket, too."""

    def __init__(self, network: Network, process: Process, port: int, factory: Any) -> None:
        self.network, self.process, self.port = network, process, port
        self.factory = factory
        self.context = copy_context()

    @property
    def sockets(self) -> tuple[Listening, ...]:
        return (self,) if self.is_serving() else ()

    def getsockname(self) -> tuple[str, int]:
        return self.process.address, self.port

    def setsockopt(self, *_: Any) -> None:
        pass

    @property
    def family(self) -> int:
        return 2

    def get_loop(self) -> Any:
        return self.network.loop

    def is_serving(self) -> bool:
        return self.network.listening.get((self.process.address, self.port)) is self

    async def start_serving(self) -> None:
        pass

    def close(self) -> None:
        if self.is_serving():
            del self.network.listening[self.process.address, self.port]

    async def wait_closed(self) -> None:
        pass


class Network:
    """All links of a simulation."""

    def __init__(self, loop: SimulatedLoop) -> None:
        self.loop = loop
        self.links: dict[int, Link] = {}
        self.listening: dict[tuple[str, int], Listening] = {}
        self.unreachable: set[tuple[str, str]] = set()
        """Pairs of addresses between which no connection can be made for now."""
        self.bytes = 0
        self.latency: Callable[[Process, Process], float] = lambda *_: 0.001
        self._numbers = count(1)

    def cut_off(self, process: Process, *, silent: bool = False) -> list[Link]:
        """The process has died: its system closes what it had open; if it is `silent`, because it
        died as well, the other ends hear of it when these links are healed."""
        for key, listening in list(self.listening.items()):
            if listening.process is process:
                del self.listening[key]
        links = [link for link in self.links.values() if process in (link.near, link.far)]
        for link in links:
            if silent:
                link.silence(near=True, far=True)
            else:
                self.loop.call_later(link.latency, link.cut, context=self._outside())
        return links

    def _outside(self) -> Context:
        return self.loop.in_process(self.loop.outside)

    async def connect(self, factory: Any, host: str, port: int) -> tuple[Any, Any]:
        near = PROCESS.get()
        latency = self.latency(near, near)
        await asyncio.sleep(latency)
        listening = self.listening.get((host, port))
        if (near.address, host) in self.unreachable:
            await asyncio.sleep(120)  # nobody answers, and nobody refuses
            raise TimeoutError(f"{host}:{port} cannot be reached")
        if listening is None:
            raise ConnectionRefusedError(f"{host}:{port} refuses")
        link = Link(self, next(self._numbers), near, listening.process)
        own = Transport(link, near, copy_context())
        other = Transport(link, listening.process, listening.context.copy())
        own.peer, other.peer = other, own
        link.ends = [own, other]
        self.links[link.number] = link
        here, there = (near.address, 20_000 + link.number), (host, port)
        own.names = {"sockname": here, "peername": there}
        other.names = {"sockname": there, "peername": here}
        own.arrival = self.loop.time() + link.latency
        self.loop.call_at(
            own.arrival, self._accept, other, listening.factory, context=other._context
        )
        own.protocol = factory()
        own.protocol.connection_made(own)
        return own, own.protocol

    def _accept(self, end: Transport, factory: Any) -> None:
        if not end.lost:
            end.protocol = factory()
            end.protocol.connection_made(end)


class NetworkedLoop(SimulatedLoop):
    """A loop with a network."""

    def __init__(self, seed: int | str) -> None:
        super().__init__(seed)
        self.network = Network(self)

    async def create_connection(  # type: ignore[override]
        self, protocol_factory: Any, host: str, port: int, **_: Any
    ) -> tuple[Any, Any]:
        return await self.network.connect(protocol_factory, host, port)

    async def create_server(  # type: ignore[override]
        self, protocol_factory: Any, host: str, port: int, **_: Any
    ) -> Any:
        process = PROCESS.get()
        listening = Listening(self.network, process, port, protocol_factory)
        self.network.listening[process.address, port] = listening
        return listening
