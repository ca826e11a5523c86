"""Questions to the archive of the server that a client is connected to, which block nothing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress
from threading import Thread
from typing import Any

import pierule
from pierule.archive import Archive, ArchiveError

TRIES = 3
"""How often in a row something is asked while somebody waits for it."""


def archive_of(client: pierule.Client) -> Archive | None:
    """The archive of the client's server; None if it has none (SPEC 27.14)."""
    if "archive" not in client.welcome.features:
        return None
    return Archive(f"http{client.url.removeprefix('ws').removesuffix('/ws')}", tries=TRIES)


async def asked(question: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """The answer to a question, in a thread for which the end of the program does not wait. Raises
    ArchiveError."""
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
