"""How a game changed the ratings of its players (SPEC 30). The archive knows it some seconds after
the end."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from functools import partial
from typing import Any

import pierule
from pierule.archive import ArchiveError
from pierule_protocol.messages import RoomState
from pierule_terminal.asking import archive_of, asked
from pierule_terminal.screen import clean
from pierule_terminal.standings import change_text

FIRST = 3.0
"""Seconds to wait after the end of a game before asking the archive."""

GROWTH = 1.3
"""The factor by which the wait grows each time."""

TIMES = 14
"""How often to ask the archive."""


async def rating_news(client: pierule.Client, state: RoomState) -> str:
    """Both ratings after the game and how it changed them, once they are known; empty if the game
    does not count or the archive does not tell."""
    counts = state.status == "over" and state.rated is not None and state.unrated is None
    archive = archive_of(client) if counts else None
    if archive is None:
        return ""
    for attempt in range(TIMES):
        await asyncio.sleep(FIRST * GROWTH**attempt)
        with suppress(ArchiveError):  # the game is not archived yet, or the archive is away
            told = await asked(partial(archive.game, state.room))
            if told["ratings"] is not None:
                return _text(told)
    return ""


def _text(game: dict[str, Any]) -> str:
    changes = [
        f"{clean(player['name'] or 'deleted account')}: {change_text(change)}"
        for player, change in zip(game["players"], game["ratings"], strict=True)
        if not player["bot"]  # its rating never changes
    ]
    return f"ratings: {', '.join(changes)}"
