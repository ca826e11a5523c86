"""The chat messages of a room, for iterators (SPEC 21)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from pierule.errors import PieruleError
from pierule_protocol.messages import CHANNELS, Channel, ChatHistoryQuery, ChatMessage, Ok

HEARD = 200
"""How many messages are kept for iterators that begin later or are behind. Older messages are
dropped."""


@dataclass(frozen=True, slots=True)
class ChatEntry:
    """A chat message and its channel."""

    channel: Channel
    """`players` or `spectators`."""
    message: ChatMessage
    """The message, with its user and time."""


class ChatHistory:
    """The messages received in a room, without gaps in their numbers. Pure except for waking
    iterators."""

    def __init__(self) -> None:
        self.heard: deque[ChatEntry] = deque(maxlen=HEARD)
        self.count = 0
        """How many messages were received so far."""
        self.ended: Exception | bool = False
        self._last: dict[Channel, int] = dict.fromkeys(CHANNELS, 0)
        self._waiting: set[asyncio.Future[None]] = set()

    def take(
        self, channel: Channel, messages: Iterable[ChatMessage], *, trimmed: bool = False
    ) -> int | None:
        """Take messages in, each once. If a message before them is missing, returns its number and
        takes none after it. `trimmed` says that the server no longer has any missing messages."""
        for message in messages:
            last = self._last[channel]
            if message.seq <= last:
                continue
            if last and message.seq > last + 1 and not trimmed:
                return last + 1
            self._last[channel] = message.seq
            self.heard.append(ChatEntry(channel, message))
            self.count += 1
            self._wake()
        return None

    @property
    def awaited(self) -> bool:
        """Whether an iterator waits for further messages."""
        return bool(self._waiting)

    def last(self, channel: Channel) -> int:
        """The number of the last received message; 0 for none."""
        return self._last[channel]

    def end(self, error: Exception | None = None) -> None:
        """No more messages will come: end the iterators, with this error if there is one."""
        self.ended = self.ended or error or True
        self._wake()

    async def news(self) -> None:
        """Wait until a message comes, or the chat ends."""
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.add(future)
        try:
            await future
        finally:
            self._waiting.discard(future)

    def _wake(self) -> None:
        for future in self._waiting:
            if not future.done():
                future.set_result(None)


class ChatStream:
    """An async iterator over the chat of a room: the known messages, then each new one, until you
    leave the room."""

    def __init__(self, history: ChatHistory) -> None:
        self._talk = history
        self._given = 0

    def __aiter__(self) -> ChatStream:
        return self

    async def __anext__(self) -> ChatEntry:
        history = self._talk
        while self._given >= history.count:
            if isinstance(history.ended, Exception):
                raise history.ended
            if history.ended:
                raise StopAsyncIteration
            await history.news()
        forgotten = history.count - len(history.heard)
        self._given = max(self._given, forgotten) + 1
        return history.heard[self._given - 1 - forgotten]


async def hear_missed(
    ask: Callable[[ChatHistoryQuery], Awaitable[Ok]],
    room: str,
    history: ChatHistory,
    channel: Channel,
) -> None:
    """Ask for the missing messages of a channel until there are no more (SPEC 21.5)."""
    with suppress(PieruleError):
        while True:
            first = history.last(channel) + 1
            messages = (
                await ask(ChatHistoryQuery(id=0, room=room, channel=channel, first=first))
            ).messages
            if not messages:
                return
            history.take(channel, messages, trimmed=True)
