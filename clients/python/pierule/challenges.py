"""The challenges that stand against a user, as far as the server has told."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from pierule_protocol.messages import Challenged, Notice


class Challenges:
    """Challenges by their names, in the order in which they came."""

    def __init__(self) -> None:
        self._standing: dict[str, Challenged] = {}
        self._news = asyncio.Event()
        self._error: Exception | None = None

    def hear(self, message: Challenged | Notice) -> None:
        """A challenge came, perhaps once more, or was withdrawn."""
        if isinstance(message, Challenged):
            self._standing.setdefault(message.challenge, message)
            self._tell()
        elif message.challenge is not None:
            self.answered(message.challenge)

    def answered(self, challenge: str) -> None:
        """A challenge no longer stands."""
        if self._standing.pop(challenge, None):
            self._tell()

    def forget(self) -> None:
        """A connection begins, on which the server sends the standing challenges again."""
        if self._standing:
            self._standing.clear()
            self._tell()

    def end(self, error: Exception) -> None:
        """No more will come."""
        self._error = error
        self._tell()

    async def each(self) -> AsyncIterator[Challenged]:
        """Each challenge once: those that stand, then those that come."""
        told: set[str] = set()
        async for standing in self.standing():
            for challenge in standing:
                if challenge.challenge not in told:
                    told.add(challenge.challenge)
                    yield challenge

    async def standing(self) -> AsyncIterator[list[Challenged]]:
        """The standing challenges, now and whenever they have changed; views in between may be left
        out."""
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
