"""The chat of rooms at hand: what was said before is read, what was missed is read and told.

What a line is, and whose it is to hear, stands in `talk` and `live`; the requests in `chat`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection

from pierule_protocol.messages import CHANNELS, Channel, Line
from pierule_server.rooms.live import Live
from pierule_server.rooms.talk import TOLD, Talk, side_of
from pierule_server.store.tables.chats import Chats


class Talks:
    """Reads lines from `chats`; `catch_up` brings a room to its log's end."""

    def __init__(self, chats: Chats, catch_up: Callable[[Live], Awaitable[None]]) -> None:
        self._chats = chats
        self._catch_up = catch_up

    async def hear(self, live: Live) -> None:
        """See to it that the room's latest lines are at hand; new ones are told from now on."""
        if live.talk is not None:
            return
        live.talk = Talk()
        try:
            await self.read(live, *CHANNELS)
        except BaseException:  # It is to be read again, not to be taken for what there is.
            live.talk = None
            raise

    async def read(self, live: Live, *channels: Channel) -> None:
        """Tell what was missed, once it is known who may hear it."""
        for channel in channels:
            while live.talk is not None:
                last = live.talk.last(channel)
                first = last + 1 if last else 0  # Nobody has missed what was said before us.
                lines = await self._chats.lines(live.room.id, channel, first, TOLD)
                await self.catch_up_for(lines, live)
                fresh = live.talk.take(channel, lines)
                live.tell(channel, fresh, live.followers)
                if not fresh:
                    break

    async def catch_up_for(self, lines: Collection[Line], live: Live) -> None:
        """Before lines are told that were read: know who sat where when they were said."""
        if lines and live.room.status != "over":
            await self._catch_up(live)


def end_apartness(live: Live) -> None:
    """The game is over: each side is told what the other has said."""
    for channel, lines in live.talk.lines.items() if live.talk else ():
        others = [f for f in live.followers if side_of(live.room, f.user) != channel]
        live.tell(channel, lines, others)
