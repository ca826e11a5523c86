"""A table: two players and their spectators, who play one game after the other."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from contextlib import suppress

from pierule_load.member import Member, Rejected
from pierule_load.pace import Pace, Stopped
from pierule_load.scripts import Script
from pierule_load.tally import Tally
from pierule_protocol import world
from pierule_protocol.codes import Code
from pierule_protocol.messages import Abort, Act, Create, Join, Resign

PAUSE = 1.0
"""Seconds before a table begins a new game after something went wrong."""

WAIT = 0.1
"""Seconds between two checks whether both players are there."""

OPEN = 64
"""The most actions of a table whose deliveries are awaited: far more than are ever under way."""


class Table:
    """Plays games until the time is up, then ends the last one."""

    def __init__(
        self, players: tuple[Member, Member], spectators: Sequence[Member],
        scripts: Iterator[Script], pace: Pace, tally: Tally,
    ) -> None:  # fmt: skip
        self.members = [*players, *spectators]
        self.begun = False
        """Whether its first game has begun."""
        self._players, self._scripts = players, scripts
        self._pace, self._tally = pace, tally
        self.room: str | None = None
        """The room of the present game; None if it is over."""
        self._running = False
        self._deliveries = Deliveries(tally)
        for member in self.members:
            member.on_event = self._deliveries.delivered
            member.on_loss = self._deliveries.forget

    async def run(self) -> None:
        """Play one game after the other, until the time is up."""
        try:
            while True:
                try:
                    await self._play(next(self._scripts))
                    self.room = None  # it is over
                    self._tally.games += 1
                except (Rejected, TimeoutError):
                    await self.end()
                    await self._pace.pause(PAUSE)
                for member in self.members:
                    with suppress(Rejected, TimeoutError):
                        await member.leave()
        except Stopped:
            await self.end()

    async def _play(self, script: Script) -> None:
        first, second = self._players
        while not (first.ready.is_set() and second.ready.is_set()):
            await self._pace.pause(WAIT)
        self._running = False
        create = Create(
            id=0, nonce=_nonce(), game=script.game, size=script.size, seat=0, rated="no"
        )  # fmt: skip
        self.room = room = (await first.ask(create)).room
        assert room is not None
        await first.follow(Join(id=0, room=room))
        await second.follow(Join(id=0, room=room, seat=1, nonce=_nonce()))
        self._running = True
        # Spectators that are not connected now join the next game.
        watching = [each for each in self.members[2:] if each.ready.is_set()]
        await asyncio.gather(*(self._watch(each, room) for each in watching))
        self.begun = True
        clock = asyncio.get_running_loop().time
        place = None
        for turn, (seat, action) in enumerate(script.steps):
            await self._pace.turn()
            player = self._players[seat]
            await player.ready.wait()
            sent, losses = clock(), player.losses
            if place is not None:
                followers = sum(member.following for member in self.members)
                self._deliveries.expect(place.seq + 1, sent, followers)
            act = Act(id=0, room=room, turn=turn, action=action)
            place = (await player.ask(act)).place
            self._tally.acted += 1
            if player.losses == losses:  # otherwise this would measure a reconnect
                self._tally.kept.append(clock() - sent)

    async def _watch(self, spectator: Member, room: str) -> None:
        with suppress(Rejected, TimeoutError):
            await spectator.follow(Join(id=0, room=room))

    async def end(self) -> None:
        """End the present game, so that no open room stays behind."""
        if self.room is None:
            return
        kind = Resign if self._running else Abort
        try:
            await self._players[0].ask(kind(id=0, room=self.room, nonce=_nonce(), seat=0))
        except (Rejected, TimeoutError) as error:
            gone = isinstance(error, Rejected) and error.code in (Code.FINISHED, Code.UNKNOWN_ROOM)
            self._tally.left += not gone
        self.room = None


def _nonce() -> str:
    return world.token_urlsafe(12)


class Deliveries:
    """Measures when the last follower has the event of an action."""

    def __init__(self, tally: Tally) -> None:
        self._tally = tally
        self._open: dict[int, tuple[float, int]] = {}

    def expect(self, seq: int, sent: float, followers: int) -> None:
        """An action was sent at `sent`. Its event will have the number `seq`, and this many
        followers will get it."""
        if len(self._open) > OPEN:  # a counted follower does not get events
            self._open.clear()
        self._open[seq] = sent, followers

    def delivered(self, seq: int) -> None:
        """A follower has got an event."""
        if seq not in self._open:
            return
        sent, missing = self._open[seq]
        if missing > 1:
            self._open[seq] = sent, missing - 1
            return
        del self._open[seq]
        self._tally.told.append(asyncio.get_running_loop().time() - sent)

    def forget(self) -> None:
        """A follower is gone: do not measure the events that are under way."""
        self._open.clear()
