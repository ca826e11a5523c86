"""Moves a client to the process where a room's other clients are, if the server asks (SPEC 1.16).

The move is one quick reconnect while nothing else goes on, so listeners do not hear of it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

import msgspec

from pierule.connection import Address, Closed, Connection, Identity, Unreachable, dial
from pierule.errors import BadReply, Refused
from pierule.live import LiveRoom
from pierule.requests import Requests
from pierule_protocol.buckets import bucket_of
from pierule_protocol.codes import Code
from pierule_protocol.messages import Join, Ok, Welcome


class Moving:
    """Joins a room, and moves to a better connection for it if that is possible."""

    def __init__(self, address: Address, requests: Requests) -> None:
        self._address = address
        self._requests = requests
        self._left = False

    def suits(self, welcome: Welcome, rooms: Collection[str], live: LiveRoom) -> bool:
        """Whether the client can move for this room: it follows no other, no request waits, and the
        connection was not made for this room."""
        came = self._address.room
        return (
            "goto" in welcome.features
            and list(rooms) == [live.id]
            and live.follower.state is None
            and not self._requests.unanswered()
            and (came is None or bucket_of(came) != bucket_of(live.id))
        )

    async def join(self, join: Join, live: LiveRoom, suits: Callable[[], bool]) -> Ok:
        """Send a join. If moving `suits` and the server asks for it, move first. Raises like
        `Requests.request`."""
        if suits():
            try:
                return await self._requests.request(msgspec.structs.replace(join, goto=True), live)
            except Refused as refused:
                if refused.code != Code.GOTO:
                    raise
            if suits() and self._requests.connection is not None:
                await self._leave(self._requests.connection, live.id)
        return await self._requests.request(join, live)

    async def _leave(self, connection: Connection, room: str) -> None:
        """End the connection. The task that reads it makes the next one (`again`)."""
        self._left = True
        self._address.room = room
        self._requests.disconnected()
        try:
            await connection.close()
        finally:
            connection.abort()

    async def again(
        self, closed: Closed, who: Callable[[], Identity]
    ) -> tuple[Connection, Welcome] | Closed:
        """A connection was `closed`. If that was for a move, return the new connection. Otherwise,
        or if the move fails, return how the connection was closed."""
        if not self._left:
            return closed
        self._left = False
        try:
            return await dial(self._address, who())
        except (Closed, Unreachable, Refused, BadReply):
            return Closed(None, "")
