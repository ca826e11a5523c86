"""A connection to the archive's API that does not let a silent client keep its place.

Without this, uvicorn waits for ever for a first request, for the rest of a request, and for a
client that does not read its answer.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from typing import cast

import structlog
from uvicorn.protocols.http.h11_impl import H11Protocol

from pierule_server.connections.limits import AddressCounts

FIRST = 10.0
"""Seconds that a client has for its first request, up to the end of its head."""

KEPT = 20
"""Seconds for which a connection is kept on which nothing comes after an answer."""

LATER = KEPT + FIRST
"""Seconds that a client has for its next request, and for reading on in an answer."""

REST = 0.5
"""Seconds before what is not HTTP gets its answer. An address has few connections, so it cannot
keep us busy with such answers."""

PER_ADDRESS = 32
"""The most connections of one address; a wider network in IPv6 may have more (`of_network`)."""

_logger = structlog.get_logger(__name__)


@dataclass(slots=True)
class Bounds:
    """What connections may do, and how many each address has open. `name` gives the name under
    which a peer counts; None for one that has no bound on its number, such as a proxy."""

    name: Callable[[str], str | None]
    counts: AddressCounts
    first: float = FIRST
    later: float = LATER
    rest: float = REST
    told: bool = False

    def refused(self, address: str) -> None:
        """Log the first refusal."""
        if not self.told:
            self.told = True
            _logger.warning(
                "an address has too many connections, and gets no more; if it is a proxy's, name "
                "it in --trusted-proxies. This is logged once",
                address=address,
            )


class BoundedConnection(H11Protocol):
    """The server's end of an HTTP connection. It ends if its address has too many, or if nothing
    happens for too long while the client is to speak or to read."""

    bounds: Bounds
    _address: str | None = None
    _end: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        address = self.bounds.name(self.client[0] if self.client else "")
        if address is not None:
            if not self.bounds.counts.enter(address):
                self.bounds.refused(address)
                transport.abort()
                return
            self._address = address
        self._await_client(self.bounds.first)

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_waiting()
        if self._address is not None:
            self.bounds.counts.leave(self._address)
            self._address = None

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        if self._answering and not self.flow.write_paused:
            self._stop_waiting()
            if self._address is not None and self.bounds.counts.crowded(self._address):
                self.cycle.keep_alive = False

    def on_response_complete(self) -> None:
        super().on_response_complete()  # may begin with the next request
        if not self._answering:
            self._await_client(self.bounds.later)

    def send_400_response(self, msg: str) -> None:
        """Refuse what is not HTTP, after a rest."""
        self.transport.pause_reading()
        self.loop.call_later(self.bounds.rest, self._refuse, msg)

    def _refuse(self, msg: str) -> None:
        if not self.transport.is_closing():
            super().send_400_response(msg)

    def _unsupported_upgrade_warning(self) -> None:
        """Stay with HTTP/1.1. Some clients, such as Java's, offer HTTP/2 in each request; uvicorn
        would log two warnings for each, about WebSockets."""

    def pause_writing(self) -> None:
        super().pause_writing()
        self._await_client(self.bounds.later)

    def resume_writing(self) -> None:
        super().resume_writing()
        self._stop_waiting()
        if not self._answering:
            self._await_client(self.bounds.later)

    @property
    def _answering(self) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def _await_client(self, seconds: float) -> None:
        """It is the client's turn from now on, unless it was before."""
        if self._end is None:
            self._end = self.loop.call_later(seconds, self.transport.abort)

    def _stop_waiting(self) -> None:
        if self._end is not None:
            self._end.cancel()
            self._end = None


def connections(bounds: Bounds) -> type[asyncio.Protocol]:
    """The class of connections with these bounds, as uvicorn takes it for `http`."""
    return cast(
        "type[asyncio.Protocol]", type("Connection", (BoundedConnection,), {"bounds": bounds})
    )
