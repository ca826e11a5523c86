"""News about a connection, and how listeners get it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass

WEBHOOK_OFF = "your webhook failed too often; the server calls it again after you set it again"

RATED_FROM = "you left too many rated games; you can enter new ones from this time on"


@dataclass(frozen=True, slots=True)
class ConnectionStatus:
    """The connection was lost, or is back."""

    connected: bool
    """Whether there is a connection."""
    text: str
    """What happened, in words, for people."""


def tell_all(listeners: Iterable[Callable[..., None]], *news: object) -> None:
    """Call all listeners soon, but not from here, because one may raise."""
    for listener in listeners:
        asyncio.get_running_loop().call_soon(listener, *news)
