"""The open challenges to a user, as far as the server has told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from pierule_protocol.messages import Challenged, Notice


class Challenges:
    """The open challenges to a user, in the order in which they came."""

    def __init__(self) -> None:
        self._standing: dict[str, Challenged] = {}
        self._news = asyncio.Event()
        self._error: Exception | None = None

    def hear(self, message: Challenged | Notice) -> None:
        """Take in a message: a challenge came, perhaps once more, or was withdrawn."""
        if isinstance(message, Challenged):
            self._standing.setdefault(message.challenge, message)
            self._tell()
        elif message.challenge is not None:
            self.answered(message.challenge)

    def answered(self, challenge: str) -> None:
        """A challenge is no longer open."""
        if self._standing.pop(challenge, None):
            self._tell()

    def forget(self) -> None:
        """Forget all challenges: on a new connection, the server sends the open ones again."""
        if self._standing:
            self._standing.clear()
            self._tell()

    def end(self, error: Exception) -> None:
        """No more challenges will come: end the iterators with this error."""
        self._error = error
        self._tell()

    async def each(self) -> AsyncIterator[Challenged]:
        """Each challenge once: those that are open, then new ones."""
        told: set[str] = set()
        async for standing in self.standing():
            for challenge in standing:
                if challenge.challenge not in told:
                    told.add(challenge.challenge)
                    yield challenge

    async def standing(self) -> AsyncIterator[list[Challenged]]:
        """The open challenges, now and whenever they change. It may skip states in between."""
        while self._error is None:
            news = self._news
            yield list(self._standing.values())
            if news is self._news:
                await news.wait()
        raise self._error

    def _tell(self) -> None:
        """Wake all waiting callers once."""
        self._news.set()
        self._news = asyncio.Event()
