"""The waits before refused requests are sent again, and what ends the waits early (SPEC 7)."""

from __future__ import annotations

import asyncio
from random import Random

from pierule.backoff import retry_delay
from pierule_protocol.messages import Error


class Pauses:
    """All waits of a session."""

    def __init__(self, rng: Random) -> None:
        self._rng = rng
        self._waiting: dict[asyncio.Event, str] = {}

    async def wait(self, refusal: Error, attempt: int) -> int:
        """Wait before repeating attempt number `attempt`, which was refused. Returns the number of
        the next attempt; it starts from 0 again if the wait ended early."""
        told = (refusal.retry_ms or 0) / 1_000
        ended = asyncio.Event()
        self._waiting[ended] = refusal.code
        try:
            async with asyncio.timeout(told + retry_delay(attempt, self._rng)):
                await ended.wait()
        except TimeoutError:
            return attempt + 1
        finally:
            del self._waiting[ended]
        await asyncio.sleep(retry_delay(0, self._rng))
        return 0

    def end(self, *codes: str) -> None:
        """End the waits for these codes; without codes, all waits."""
        for ended, code in self._waiting.items():
            if not codes or code in codes:
                ended.set()
