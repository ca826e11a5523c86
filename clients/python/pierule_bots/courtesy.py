"""How a bot answers its opponent's offers, during a game and after it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pierule
from pierule_bots.player import is_content, restored
from pierule_protocol.log.events import What
from pierule_protocol.state.position import position_text

LINGER = 60.0
"""How many seconds a bot stays in a room after the game, if its opponent stays, too."""

LOOK = 1.0
"""Seconds between two checks whether the opponent is still there."""

AWAY = 3.0
"""How many seconds the opponent must be away before the bot leaves. A busy server says late that
somebody has come."""

PART = 20.0
"""Seconds between two checks whether the opponent has left a game without a clock."""

LINGERING = 20
"""The most rooms in which a bot stays after the game at the same time."""


class Courtesy:
    """The answers of a bot. It grants everything except pauses, which would make it wait, and a
    draw if it stands better. In a rated game it grants neither a takeback nor a draw, so nobody
    gets points from a bot by asking."""

    def __init__(self, client: pierule.Client) -> None:
        self._client = client
        self._lingering = 0

    async def answer(self, room: pierule.Room) -> None:
        """Answer offers until the game is over. Raises like the room's iterators."""
        async for _ in room.updates():
            for what in room.offered:
                await _reply(room, what, accept=_grants(room, what))

    async def part(self, room: pierule.Room) -> None:
        """End a game without a clock if the opponent has been gone long enough (SPEC 25.2), to be
        free for others. Nobody loses, unless the game is rated."""
        while room.state.clock is None and not room.over:
            await asyncio.sleep(PART)
            with suppress(pierule.Refused, pierule.TimedOut):
                if not _opponent_there(room):
                    await room.claim("win" if _counts(room) else "abort")

    async def rematch(self, room: pierule.Room, slots: asyncio.Semaphore) -> str | None:
        """Stay for a while after the game, and accept a rematch if one of the `slots` for games is
        free. Returns the room of the rematch, for which it has taken a slot; None if there is none.
        Raises ConnectionLost."""
        if self._lingering >= LINGERING or _against_bot(room) or slots.locked():
            return None
        self._lingering += 1
        try:
            await _offered(room)
            return await _agreed(room, slots)
        except (pierule.Desync, StopAsyncIteration):
            return None
        finally:
            self._lingering -= 1


async def _offered(room: pierule.Room) -> None:
    """Wait for the offer of a rematch while the opponent stays, for at most `LINGER` seconds."""
    news, now = room.updates(beyond=True), asyncio.get_running_loop().time
    there = now()
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER):
            while not room.offered and room.state.rematch is None:
                with suppress(TimeoutError):
                    await asyncio.wait_for(anext(news), LOOK)
                if _opponent_there(room):
                    there = now()
                elif now() - there > AWAY:
                    return


async def _agreed(room: pierule.Room, slots: asyncio.Semaphore) -> str | None:
    """Accept an offered rematch, and return its room; None if there is none. It takes a slot first,
    so the rematch can be played."""
    if not room.offered and room.state.rematch is None:
        return None
    if slots.locked():
        for what in room.offered:
            await _reply(room, what, accept=False)
        return None
    await slots.acquire()
    following = None
    try:
        # Take a slot before accepting: without one, the opponent would wait in vain.
        if all([await _reply(room, what, accept=True) for what in room.offered]):
            following = await room.rematch()
    finally:
        if following is None:
            slots.release()
    return following


def _grants(room: pierule.Room, what: What) -> bool:
    if what in ("takeback", "draw") and _counts(room):
        return False
    if what == "draw":
        position = restored(position_text(room.position), room.state.rules)
        return is_content(position, room.seats[0])
    return what != "pause"


def _counts(room: pierule.Room) -> bool:
    """Whether the game counts for the opponent's rating (SPEC 30.9)."""
    return room.state.rated is not None and room.state.unrated is None


async def _reply(room: pierule.Room, what: What, *, accept: bool) -> bool:
    """Answer an offer. Returns whether the server accepted the answer; if not, the offer no longer
    stands, or comes up again."""
    try:
        await (room.accept(what) if accept else room.decline(what))
    except (pierule.Refused, pierule.TimedOut):
        return False
    return True


def _against_bot(room: pierule.Room) -> bool:
    return all(holder is None or holder.bot for holder in room.state.seats)


def _opponent_there(room: pierule.Room) -> bool:
    presence = room.presence
    if presence is None or not presence.players[room.seats[0]]:
        return True  # the presence is older than this bot's arrival, so it tells nothing
    return all(presence.players)
