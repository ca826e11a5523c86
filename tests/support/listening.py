"""A listener that records what it hears and can be waited for."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection

from pierule_protocol.log.events import Entry
from pierule_protocol.messages import Channel, ChatMessage

BOUND = 60.0
"""Seconds after which waiting fails."""


class RecordingListener:
    """A `Listener` for tests."""

    def __init__(self) -> None:
        self.entries: list[tuple[str, Entry]] = []
        self.notes: list[tuple[str, str]] = []
        self.lines: list[tuple[str, Channel, int, ChatMessage]] = []
        self.gaps: list[str] = []
        self.rooms_aside: list[str] = []
        self.rooms_unnamed: list[str] = []
        self.news: list[bool] = []
        """Each report whether the store is reachable."""
        self.troubles: list[str | None] = []
        """The text for players of each report."""
        self._news = asyncio.Event()

    def entry(self, room: str, entry: Entry) -> None:
        self.entries.append((room, entry))
        self._news.set()

    def note(self, room: str, text: str) -> None:
        self.notes.append((room, text))
        self._news.set()

    def chat_message(self, room: str, channel: Channel, after: int, line: ChatMessage) -> None:
        self.lines.append((room, channel, after, line))
        self._news.set()

    def aside(self, room: str) -> None:
        self.rooms_aside.append(room)
        self._news.set()

    def gap(self, rooms: Collection[str]) -> None:
        self.gaps.extend(rooms)
        self._news.set()

    def unnamed(self, room: str) -> None:
        self.rooms_unnamed.append(room)
        self._news.set()

    def reachable(self, yes: bool, trouble: str | None) -> None:
        self.news.append(yes)
        self.troubles.append(trouble)
        self._news.set()

    async def until(self, condition: Callable[[], bool]) -> None:
        """Wait until the condition holds; fail after a bound."""
        async with asyncio.timeout(BOUND):
            while not condition():
                self._news.clear()
                await self._news.wait()
