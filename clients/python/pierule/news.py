"""News of a connection, and how whoever listens is told."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ConnectionStatus:
    """The connection was lost, or is there again."""

    connected: bool
    """Whether there is a connection."""
    text: str
    """What happened, in words, for people."""


def tell_all(listeners: Iterable[Callable[..., None]], *news: object) -> None:
    """Tell all of them; not right here, for one may fail, and we go on."""
    for listener in listeners:
        asyncio.get_running_loop().call_soon(listener, *news)
