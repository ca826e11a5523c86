"""What the people of a run share: the doors, the time to close, and their journals."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from random import Random

import pierule
from chaos.journal import Journal


@dataclass(eq=False)
class Crowd:
    """All people of a run. `failures` are the errors that ended one too early."""

    urls: list[str]
    """The present nodes; new connections use these."""
    seed: int
    pace: float
    """Mean seconds between two things that a person does."""
    patient: bool
    """Whether a player who was left waits until the game can be claimed."""
    journals: list[Journal] = field(default_factory=list)
    users: list[str] = field(default_factory=list)
    mortal: set[str] = field(default_factory=set)
    """Users who may leave for good; all others come back at the end."""
    failures: list[str] = field(default_factory=list)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    numbers: count[int] = field(default_factory=count)
    """Numbers that make each chat message different."""

    async def idle(self, rng: Random, least: float = 0) -> bool:
        """Wait a while, or until it is time to close; return whether it is."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self.closing.wait(), least + rng.uniform(0, 2 * self.pace))
        return self.closing.is_set()


async def dare(doing: Awaitable[object]) -> None:
    """Try something; a refusal is fine, too."""
    with suppress(pierule.Refused):
        await doing
