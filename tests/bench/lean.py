"""A client that remembers nothing: one request at a time, and it drops events. For load, not for
checks.

Also the memory of a process and of a store, seen from outside.
"""

from __future__ import annotations

import subprocess
from itertools import count
from typing import Any, Self

import redis
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol

from pierule_protocol.codec import client_codecs
from pierule_protocol.messages import Error, Hello, Join, Ok, Request, Snapshot, Welcome

CODEC = client_codecs()["pierule.1.msgpack"]

UNLIMITED = (
    *("--connection-rate", "0", "--user-rate", "0", "--rooms-per-user", "0"),
    *("--address-budget", "0", "--user-budget", "0", "--abandoned-per-address", "0"),
    *("--handshakes-per-address", "0"),
    *("--connections-per-address", "0", "--rooms-followed", "1000000"),
)
"""Flags that lift limits, for a server that is measured."""

_nonces = count(1)


def fresh_nonce() -> str:
    return f"b{next(_nonces)}"


class Lean:
    """One connection that has said hello."""

    welcome: Welcome

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket
        self._ids = count(1)

    @classmethod
    async def open(cls, url: str, token: str | None = None) -> Self:
        protocol = Subprotocol(CODEC.subprotocol)
        lean = cls(await connect(url, subprotocols=[protocol], compression=None, max_size=None))
        welcome = (await lean.ask(Hello, token=token)).welcome
        assert welcome is not None
        lean.welcome = welcome
        return lean

    async def ask(self, kind: type[Request], **fields: Any) -> Ok:
        """The answer to a request, which must be `ok`."""
        request = kind(id=next(self._ids), **fields)
        await self._socket.send(CODEC.encode(request))
        while True:
            message = CODEC.decode(await self._socket.recv(decode=False))
            if isinstance(message, Ok | Error) and message.id == request.id:
                assert isinstance(message, Ok), message
                return message

    async def join(self, room: str) -> Snapshot:
        """Follow a room; returns its snapshot."""
        await self.ask(Join, room=room)
        while True:
            message = CODEC.decode(await self._socket.recv(decode=False))
            if isinstance(message, Snapshot):
                return message

    async def close(self) -> None:
        await self._socket.close()


def resident(pid: int) -> int:
    """The resident memory of a process, in bytes."""
    text = subprocess.run(["ps", "-o", "rss=", "-p", str(pid)], capture_output=True, check=True)
    return int(text.stdout) * 1024


def used(store: redis.Redis) -> int:
    """The memory that a store reports, in bytes."""
    return int(store.info("memory")["used_memory"])
