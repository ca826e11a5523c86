"""Runs the archive's API (`pierule api`) as a child process of a node, so no query delays a game.

The node listens, and the API inherits the socket. So the node knows the port, and a client that
comes while the API restarts waits instead of being refused.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from pierule_archive.api import ROOT
from pierule_server.operations.child_processes import Child, keep_running
from pierule_server.settings import Settings
from pierule_server.store.address import archive_url

APART = 2_000
"""The distance from the clients' port to the port that `auto` takes."""

NAMES = (
    "archive", "data", "store", "store_ca", "host", "port", "api_port", "api_rate", "api_burst",
    "evaluations", "trusted_proxies", "proxy_header", "page_url", "log_level", "log_format",
)  # fmt: skip
"""The settings that the API reads."""


def chosen_port(settings: Settings) -> int | None:
    """The port of the API: 0 for a free one, None for no API. Raises ValueError."""
    text = settings.api_port
    if text == "off":
        return None
    if text == "auto":
        return settings.port + APART if 0 < settings.port <= 65_535 - APART else 0
    if text.isascii() and text.isdecimal() and int(text) <= 65_535:
        return int(text)
    raise ValueError(f"the API's port must be auto, off or a port, not {text!r} (see --api-port)")


def behind_proxy(settings: Settings) -> bool:
    """Whether a proxy leads `/api` to an API that the operators run (deploy/README.md)."""
    archive = archive_url(settings.archive, settings.store, settings.data)
    return settings.store != "embedded" and archive is not None and settings.api_port != "off"


def listen(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises OSError if the port cannot be used."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family, backlog=256)
    except OSError as error:
        raise OSError(f"{error.strerror or error} (see --host and --api-port)") from error


def address_of(listening: socket.socket) -> str:
    """The URL at which a socket listens."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{ROOT}"


@asynccontextmanager
async def running_api(settings: Settings) -> AsyncIterator[str | None]:
    """Run the API while the context lasts. Yields its URL, or None if there is none. `auto` runs it
    only beside an embedded store, because otherwise each node of a host would run its own. Raises
    OSError if the port cannot be used, and ValueError for wrong settings."""
    port = chosen_port(settings)
    url = archive_url(settings.archive, settings.store, settings.data)
    beside = settings.store == "embedded" or settings.api_port != "auto"
    if port is None or not beside or url is None:
        yield None
        return
    with listen(settings.host, port) as listening:
        number = listening.fileno()
        values = {name: getattr(settings, name) for name in NAMES}
        child = Child(
            "the archive's API", ("api", "--socket", str(number)),
            {f"PIERULE_{name.upper()}": str(value) for name, value in values.items()},
            sockets=[number], own_log=True,
        )  # fmt: skip
        keeper = asyncio.create_task(keep_running(child))
        try:
            yield address_of(listening)
        finally:
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)
