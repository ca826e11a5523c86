"""Questions to the archive of a client's server, without blocking the event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any

import pierule
from pierule.archive import Archive, ArchiveError

TRIES = 3
"""How many tries in a row a question gets while somebody waits for its answer."""


def archive_of(client: pierule.Client) -> Archive | None:
    """The archive of the client's server; None if it has none (SPEC 27.14)."""
    if "archive" not in client.welcome.features:
        return None
    return Archive(f"http{client.url.removeprefix('ws').removesuffix('/ws')}", tries=TRIES)


async def asked(question: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """Ask a question in another thread, and return the answer. The program can end before the
    thread does. Raises ArchiveError."""
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[dict[str, Any]] = loop.create_future()

    def settle(told: dict[str, Any] | ArchiveError) -> None:
        if answer.done():  # nobody waits any more
            return
        if isinstance(told, ArchiveError):
            answer.set_exception(told)
        else:
            answer.set_result(told)

    def ask() -> None:
        told: dict[str, Any] | ArchiveError
        try:
            told = question()
        except ArchiveError as error:
            told = error
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, told)

    Thread(target=ask, daemon=True).start()
    return await answer
