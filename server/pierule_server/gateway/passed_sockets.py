"""A WebSocket server that does not listen: another process accepts connections and passes them.

The library's server only serves sockets that it accepts itself. This module does the same for
sockets that exist already.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from functools import partial
from socket import socket  # noqa: TID251  # somebody else has made it
from typing import Any

from websockets.asyncio.server import Server, ServerConnection
from websockets.server import ServerProtocol
from websockets.typing import Subprotocol

from pierule_server.gateway.peer_socket import Passed, PeerSocket


class NoListener:
    """Stands in place of a port in the library's server."""

    def __init__(self) -> None:
        self._serving = True

    sockets = ()

    def get_loop(self) -> asyncio.AbstractEventLoop:
        return asyncio.get_running_loop()

    def is_serving(self) -> bool:
        return self._serving

    def close(self) -> None:
        self._serving = False

    async def wait_closed(self) -> None:
        """Do nothing: the library waits for its connections itself."""


class PassedSockets:
    """Turns sockets into connections of `server`. `select` chooses the subprotocol, and `make`
    makes a connection with the library's `options`."""

    def __init__(
        self,
        server: Server,
        select: Callable[[ServerConnection, Sequence[Subprotocol]], Subprotocol],
        make: Callable[..., PeerSocket],
        max_size: int,
        **options: Any,
    ) -> None:
        server.server = NoListener()  # type: ignore[assignment]  # it has all that the library uses
        self._server = server
        self._select = select
        self._make = make
        self._max_size = max_size
        self._options = options

    async def take(self, connected: socket, passed: Passed) -> None:
        """Serve a connection. Raises OSError if the connection has ended meanwhile."""
        loop = asyncio.get_running_loop()
        await loop.connect_accepted_socket(partial(self._connection, passed), connected)

    def _connection(self, passed: Passed) -> PeerSocket:
        protocol = ServerProtocol(
            select_subprotocol=lambda _, offered: self._select(connection, offered),
            max_size=self._max_size,
            logger=self._server.logger,
        )
        connection = self._make(protocol, self._server, passed=passed, **self._options)
        return connection
