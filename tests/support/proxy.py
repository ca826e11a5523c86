"""A TCP proxy that does to connections what networks do: delay, cut in mid-frame, swallow.

`up` is from the client to the server, `down` the way back. A direction that was swallowed once
stays dead, as after a firewall forgot the connection, while both ends believe it open. Later
connections follow the settings of their time.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import Literal, TypeAlias

Way: TypeAlias = Literal["up", "down"]
WAYS: tuple[Way, Way] = ("up", "down")
CHUNK = 65_536


class Proxy:
    """Passes everything on by default. Made by `proxied`."""

    def __init__(self, host: str, port: int) -> None:
        self.port = 0
        self.delay: dict[Way, float] = {"up": 0.0, "down": 0.0}
        """Seconds by which each way is slowed."""
        self.passed: dict[Way, int] = {"up": 0, "down": 0}
        """Bytes so far."""
        self.swallowed: dict[Way, int] = {"up": 0, "down": 0}
        self.closed = False
        """Whether new connections are refused at once."""
        self.rewrites: dict[bytes, bytes] = {}
        """Replacements on the way down: for addresses that a server tells."""
        self._target = host, port
        self._holes: set[Way] = set()
        self._cuts: set[Way] = set()
        self._drops: dict[Way, bytes | None] = {"up": None, "down": None}
        self._pipes: set[_Pipe] = set()

    @property
    def connections(self) -> int:
        """Connections that are open now."""
        return len({pipe.number for pipe in self._pipes})

    def black_hole(self, *ways: Way) -> None:
        """Swallow what goes these ways (none given: both) from now on."""
        self._holes.update(ways or WAYS)

    def cut_in_mid_frame(self, *ways: Way) -> None:
        """Pass half of what comes next these ways (none given: either), then break that
        connection, on both sides."""
        self._cuts.update(ways or WAYS)

    def drop_next(self, marker: bytes, way: Way = "down") -> None:
        """Swallow the next chunk that contains the marker, and nothing else."""
        self._drops[way] = marker

    @property
    def dropped(self) -> bool:
        """Whether what `drop_next` asked for has happened."""
        return not any(self._drops.values())

    def cut(self) -> None:
        """Break all connections at once."""
        for pipe in list(self._pipes):
            pipe.abort()

    def heal(self) -> None:
        """Pass everything on again, on connections that nothing was swallowed of."""
        self._holes.clear()
        self._cuts.clear()
        self._drops = {"up": None, "down": None}
        self.delay = {"up": 0.0, "down": 0.0}
        self.closed = False

    # --- what connections ask ------------------------------------------------------------------

    def filter(self, pipe: _Pipe, data: bytes) -> bytes:
        """What is passed on of a chunk; may break the connection."""
        way = pipe.way
        marker = self._drops[way]
        if marker is not None and marker in data:
            self._drops[way] = None
            self.swallowed[way] += len(data)
            return b""
        if pipe.dead or way in self._holes:
            pipe.dead = True
            self.swallowed[way] += len(data)
            return b""
        if way in self._cuts:
            self._cuts.clear()
            pipe.breaking = True
            data = data[: len(data) // 2]
        if way == "down":
            for told, instead in self.rewrites.items():
                data = data.replace(told, instead)
        self.passed[way] += len(data)
        return data

    async def accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve one connection until it ends on either side."""
        try:
            if self.closed:
                raise ConnectionRefusedError
            far_reader, far_writer = await asyncio.open_connection(*self._target)
        except OSError:
            writer.transport.abort()
            return
        up = _Pipe(self, "up", reader, far_writer)
        down = _Pipe(self, "down", far_reader, writer)
        up.number = down.number = id(up)
        up.other, down.other = down, up
        self._pipes |= {up, down}
        try:
            await asyncio.gather(up.run(), down.run())
        finally:
            self._pipes -= {up, down}
            up.abort()


class _Pipe:
    """One way of one connection."""

    def __init__(
        self, proxy: Proxy, way: Way, source: asyncio.StreamReader, sink: asyncio.StreamWriter
    ) -> None:
        self.way: Way = way
        self.number = 0
        self.dead = False
        self.breaking = False
        self.other = self
        self._proxy = proxy
        self._source = source
        self._sink = sink

    async def run(self) -> None:
        with suppress(OSError):
            while data := await self._source.read(CHUNK):
                if delay := self._proxy.delay[self.way]:
                    await asyncio.sleep(delay)
                if (data := self._proxy.filter(self, data)) and not self._sink.is_closing():
                    self._sink.write(data)
                    await self._sink.drain()
                if self.breaking:
                    await asyncio.sleep(0)
                    break
        # An end that was swallowed is not seen by the other side either.
        if self.breaking or not (self.dead or self.way in self._proxy._holes):
            self.abort()

    def abort(self) -> None:
        for pipe in (self, self.other):
            pipe._sink.transport.abort()


@asynccontextmanager
async def proxied(port: int, host: str = "127.0.0.1") -> AsyncIterator[Proxy]:
    """A proxy on a free port in front of a server. It runs in the caller's event loop, so nothing
    that blocks the loop may wait for its traffic."""
    proxy = Proxy(host, port)
    tasks: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        with suppress(asyncio.CancelledError):  # which Python 3.11 would report as a fault
            await proxy.accept(reader, writer)
        tasks.discard(task)

    server = await asyncio.start_server(accept, "127.0.0.1", 0)
    proxy.port = server.sockets[0].getsockname()[1]
    try:
        yield proxy
    finally:
        server.close()
        proxy.cut()
        for task in list(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
