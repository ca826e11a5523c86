"""News of a connection, and how listeners get it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass

WEBHOOK_OFF = "your webhook has failed too often, and is called no more until you set it again"

RATED_FROM = "you left rated games too often, and can enter new ones again only at this time"


@dataclass(frozen=True, slots=True)
class ConnectionStatus:
    """The connection was lost, or is back."""

    connected: bool
    """Whether there is a connection."""
    text: str
    """What happened, in words, for people."""


def tell_all(listeners: Iterable[Callable[..., None]], *news: object) -> None:
    """Call all of them later, not here, because one may fail."""
    for listener in listeners:
        asyncio.get_running_loop().call_soon(listener, *news)
