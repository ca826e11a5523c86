"""How a bot answers its opponent's offers, during a game and after it."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pierule
from pierule_bots.player import is_content, restored
from pierule_protocol.log.events import What
from pierule_protocol.state.position import position_text

LINGER = 60.0
"""Seconds for which a bot stays in a room after the game, if its opponent stays as well."""

LOOK = 1.0
"""Seconds between two looks at whether the opponent is still there."""

PART = 20.0
"""Seconds between two looks at whether an opponent without a clock is gone for good."""

LINGERING = 20
"""Rooms at once in which a bot stays after the game."""


class Courtesy:
    """The answers of a bot: it grants every request, except a pause, in which it would wait for its
    opponent, and a draw if it stands better. In a game that counts for ratings it grants neither a
    takeback nor a draw: nobody gets points from a bot by asking."""

    def __init__(self, client: pierule.Client) -> None:
        self._client = client
        self._lingering = 0

    async def answer(self, room: pierule.Room) -> None:
        """Answer offers while the game goes on. Raises as the room's iterators."""
        async for _ in room.updates():
            for what in room.offered:
                await _reply(room, what, accept=_grants(room, what))

    async def part(self, room: pierule.Room) -> None:
        """End a game without a clock if its other player has been gone long enough (SPEC 25.2), so
        that the bot is free for others. Nobody loses, unless the game counts for ratings."""
        while room.state.clock is None and not room.over:
            await asyncio.sleep(PART)
            with suppress(pierule.Refused, pierule.TimedOut):
                if not _opponent_there(room):
                    await room.claim("win" if _counts(room) else "abort")

    async def rematch(self, room: pierule.Room, slots: asyncio.Semaphore) -> str | None:
        """Stay for a while after the game, and accept a rematch if one of the `slots` for games is
        free; returns its room, for which that slot was taken. Raises ConnectionLost."""
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
    """Wait for the offer of a rematch, as long as the opponent stays, and at most `LINGER`."""
    news = room.updates(beyond=True)
    with suppress(TimeoutError):
        async with asyncio.timeout(LINGER):
            while not room.offered and room.state.rematch is None:
                with suppress(TimeoutError):
                    await asyncio.wait_for(anext(news), LOOK)
                if not _opponent_there(room):
                    return


async def _agreed(room: pierule.Room, slots: asyncio.Semaphore) -> str | None:
    """The rematch that is offered, if any, in a slot taken beforehand, so that it is played."""
    if not room.offered and room.state.rematch is None:
        return None
    if slots.locked():
        for what in room.offered:
            await _reply(room, what, accept=False)
        return None
    await slots.acquire()
    following = None
    try:
        # One by one: who is refused would wait in vain.
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
    """Whether the answer was accepted; if not, the offer has lapsed, or comes up again."""
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
        return True  # What it says is older than that this bot is there.
    return all(presence.players)
