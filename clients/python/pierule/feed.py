"""The events of a room for its iterators, each at its own pace."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from dataclasses import dataclass

import msgspec

from pierule_protocol.log.events import AnyRecord, decode_record
from pierule_protocol.messages import Event, RoomState

logger = logging.getLogger(__name__)

BEHIND = 1000
"""An iterator that is more updates behind than this skips to the newest state."""


@dataclass(frozen=True, slots=True)
class Update:
    """A new state of a room, and the event that led to it."""

    state: RoomState
    """The room after the event."""
    event: Event | None = None
    """None if the state is not exactly one event after the previous update: at first, after a
    snapshot, and when an iterator falls more than 1,000 updates behind."""

    @property
    def record(self) -> AnyRecord | None:
        """The decoded record of the event: a `Seated`, `Acted`, … None without an event, or if this
        version does not know the kind of record."""
        if self.event is None:
            return None
        try:
            return decode_record(self.event.record)
        except msgspec.DecodeError:
            return None


class Feed:
    """An async iterator over updates, ended by the room or by an error. With `beyond` it goes on
    after the game's end. With `turns` it also gets the state again of a turn that is back."""

    def __init__(self, *, beyond: bool = False, turns: bool = False) -> None:
        self.beyond = beyond
        self.turns = turns
        self._buffer: deque[Update] = deque()
        self._news = asyncio.Event()
        self._ended = False
        self._error: Exception | None = None

    def put(self, update: Update) -> None:
        """Add an update, unless the feed has ended."""
        if self._ended:
            return
        if len(self._buffer) >= BEHIND:
            logger.warning(
                "an iterator over room %s is too slow: it skips %d updates",
                update.state.room, len(self._buffer),
            )  # fmt: skip
            self._buffer.clear()
            update = Update(update.state)
        self._buffer.append(update)
        self._news.set()

    def end(self, error: Exception | None = None) -> None:
        """Stop after the updates in the buffer, and raise `error` then if there is one."""
        if not self._ended:
            self._ended, self._error = True, error
            self._news.set()

    def __aiter__(self) -> Feed:
        return self

    async def __anext__(self) -> Update:
        while not self._buffer:
            if self._error is not None:
                raise self._error
            if self._ended:
                raise StopAsyncIteration
            self._news.clear()
            await self._news.wait()
        return self._buffer.popleft()
