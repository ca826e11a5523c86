"""What is said in a room, line by line, for whoever iterates over it (SPEC 21)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass

from pierule.errors import PieruleError
from pierule_protocol.messages import CHANNELS, Channel, Line, LinesQuery, Ok

HEARD = 200
"""Lines that are kept for iterators that begin later, or are behind: beyond that, the oldest go."""


@dataclass(frozen=True, slots=True)
class Spoken:
    """A line, and the channel in which it was said."""

    channel: Channel
    """`players` or `spectators`."""
    line: Line
    """What was said, by whom and when."""


class Talk:
    """What one has heard in a room; numbers have no holes. Pure but for waking iterators."""

    def __init__(self) -> None:
        self.heard: deque[Spoken] = deque(maxlen=HEARD)
        self.count = 0
        """How many lines were ever heard."""
        self.ended: Exception | bool = False
        self._last: dict[Channel, int] = dict.fromkeys(CHANNELS, 0)
        self._waiting: set[asyncio.Future[None]] = set()

    def take(self, channel: Channel, lines: Iterable[Line], *, trimmed: bool = False) -> int | None:
        """Hear lines, each once. The first number that is missing, if one is: what lies behind it
        is not heard yet. With `trimmed` the server has no others any more."""
        for line in lines:
            last = self._last[channel]
            if line.seq <= last:
                continue
            if last and line.seq > last + 1 and not trimmed:
                return last + 1
            self._last[channel] = line.seq
            self.heard.append(Spoken(channel, line))
            self.count += 1
            self._wake()
        return None

    @property
    def awaited(self) -> bool:
        """Whether somebody waits for what will be said."""
        return bool(self._waiting)

    def last(self, channel: Channel) -> int:
        """The number of the last line that was heard; 0 for none."""
        return self._last[channel]

    def end(self, error: Exception | None = None) -> None:
        """Nothing more will be heard."""
        self.ended = self.ended or error or True
        self._wake()

    async def news(self) -> None:
        """Wait until something was heard, or nothing will be."""
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


class Hearing:
    """An async iterator over what is said in a room: first what was heard already, then each line
    as it comes, until the room is left."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._given = 0

    def __aiter__(self) -> Hearing:
        return self

    async def __anext__(self) -> Spoken:
        talk = self._talk
        while self._given >= talk.count:
            if isinstance(talk.ended, Exception):
                raise talk.ended
            if talk.ended:
                raise StopAsyncIteration
            await talk.news()
        forgotten = talk.count - len(talk.heard)
        self._given = max(self._given, forgotten) + 1
        return talk.heard[self._given - 1 - forgotten]


async def hear_missed(
    ask: Callable[[LinesQuery], Awaitable[Ok]], room: str, talk: Talk, channel: Channel
) -> None:
    """Ask for lines that did not come (SPEC 21.5), until there are no more."""
    with suppress(PieruleError):
        while True:
            first = talk.last(channel) + 1
            lines = (await ask(LinesQuery(id=0, room=room, channel=channel, first=first))).lines
            if not lines:
                return
            talk.take(channel, lines, trimmed=True)
