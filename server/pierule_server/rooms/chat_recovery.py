"""Reads earlier chat messages of rooms in memory, and reads and sends missed ones.

`chat_history` and `live` decide who may hear a message; `handlers.chat` has the requests.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection

from pierule_protocol.messages import CHANNELS, Channel, ChatMessage
from pierule_server.rooms.chat_history import TOLD, ChatHistory, side_of
from pierule_server.rooms.live import Live
from pierule_server.store.tables.chats import Chats


class ChatRecovery:
    """Reads messages from `chats`. `catch_up` brings a room to the end of its log."""

    def __init__(self, chats: Chats, catch_up: Callable[[Live], Awaitable[None]]) -> None:
        self._chats = chats
        self._catch_up = catch_up

    async def hear(self, live: Live) -> None:
        """Read the room's latest messages into memory, unless they are there. From now on, the node
        sends new ones to followers. Raises StoreUnavailable."""
        if live.chat_history is not None:
            return
        live.chat_history = ChatHistory()
        try:
            await self.read(live, *CHANNELS)
        except BaseException:  # an incomplete history must be read again
            live.chat_history = None
            raise

    async def read(self, live: Live, *channels: Channel) -> None:
        """Read and send the messages that were missed. Raises StoreUnavailable."""
        for channel in channels:
            while live.chat_history is not None:
                last = live.chat_history.last(channel)
                first = last + 1 if last else 0  # without a history, read only the latest messages
                messages = await self._chats.messages(live.room.id, channel, first, TOLD)
                await self.catch_up_for(messages, live)
                fresh = live.chat_history.take(channel, messages)
                live.tell(channel, fresh, live.followers)
                if not fresh:
                    break

    async def catch_up_for(self, messages: Collection[ChatMessage], live: Live) -> None:
        """Catch up with the log before you send messages: they may be newer than the known seats,
        and seats decide who may hear them."""
        if messages and live.room.status != "over":
            await self._catch_up(live)


def merge_channels(live: Live) -> None:
    """The game is over: send each side what the other side has said."""
    for channel, messages in live.chat_history.messages.items() if live.chat_history else ():
        others = [f for f in live.followers if side_of(live.room, f.user) != channel]
        live.tell(channel, messages, others)
