"""A request whose room comes later, perhaps on another connection."""

from __future__ import annotations

import asyncio

from pierule.errors import PieruleError, Refused
from pierule_protocol.codes import MEANINGS, Code
from pierule_protocol.messages import Error, Notice, Paired, Request


class PendingRoom:
    """A request whose room comes with `paired`. The session sends it on every new connection."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self._room: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._room.add_done_callback(_retrieve)

    def told(self, message: Paired | Notice) -> None:
        """A message says that there is a room, or that there will be none."""
        if isinstance(message, Paired):
            self.found(message.room)
        else:
            code = Code.DECLINED if message.kind == "challenge_declined" else Code.EXPIRED
            self.fail(Refused(Error(id=None, code=code, text=MEANINGS[code].text)))

    def found(self, room: str) -> None:
        """There is a room."""
        if not self._room.done():
            self._room.set_result(room)

    def fail(self, error: PieruleError) -> None:
        """There will be no room."""
        if not self._room.done():
            self._room.set_exception(error)

    async def room(self) -> str:
        """Wait for the room's id. Raises Refused if the request has expired or was declined, and
        ConnectionLost."""
        return await asyncio.shield(self._room)


def _retrieve(room: asyncio.Future[str]) -> None:
    """Mark a failure as retrieved, in case nobody waits for it any more."""
    if not room.cancelled():
        room.exception()
