"""What the end of a game did to the ratings of its players (SPEC 30). The archive knows it some
seconds later; nobody waits for it."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from threading import Thread
from typing import Any

import pierule
from pierule.archive import Archive, ArchiveError
from pierule_protocol.messages import RoomState
from pierule_terminal.screen import clean
from pierule_terminal.standings import rating_text

FIRST = 3.0
"""Seconds for which a game that has ended is left alone."""

GROWTH = 1.3
"""By how much the wait becomes longer each time."""

TIMES = 14
"""How often the archive is asked."""


async def rating_news(client: pierule.Client, state: RoomState) -> str:
    """Both ratings before and after the game, once they are known; nothing if it does not count, or
    if there is no archive that tells."""
    counts = state.status == "over" and state.rated is not None and state.unrated is None
    if not counts or "archive" not in client.welcome.features:
        return ""
    archive = Archive(f"http{client.url.removeprefix('ws').removesuffix('/ws')}")
    for attempt in range(TIMES):
        await asyncio.sleep(FIRST * GROWTH**attempt)
        with suppress(ArchiveError):  # it is not archived yet, or the archive is away
            told = await _game(archive, state.room)
            if told["ratings"] is not None:
                return _text(told)
    return ""


def _text(game: dict[str, Any]) -> str:
    changes = [
        f"{clean(player['name'] or 'deleted account')}: "
        f"{rating_text(change['before'])} -> {rating_text(change['after'])}"
        for player, change in zip(game["players"], game["ratings"], strict=True)
    ]
    return f"ratings: {', '.join(changes)}"


async def _game(archive: Archive, room: str) -> dict[str, Any]:
    """Ask in a thread for which the end of the program does not wait. Raises ArchiveError."""
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
            told = archive.game(room)
        except ArchiveError as error:
            told = error
        with suppress(RuntimeError):  # the loop has ended
            loop.call_soon_threadsafe(settle, told)

    Thread(target=ask, daemon=True).start()
    return await answer
