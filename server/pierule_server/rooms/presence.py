"""Knows who is in a room, over all nodes: each node announces its part, and nobody stores it (SPEC
25).

Presence is not part of the room's log. A node announces its audience when it changes, and every
`REFRESH` seconds. It forgets parts of other nodes that were not announced for `FORGET` seconds, so
a node that dies takes its audience with it. If no other node has a part, nobody could forget ours.
Then the node repeats its announcement only now and then: most rooms have only one node, and there
may be many rooms. A node that comes to a room, or comes back to it, asks the others.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field

from msgspec import structs

from pierule_protocol import world
from pierule_protocol.log.controls import absence_bound
from pierule_protocol.messages import Presence, Seat
from pierule_protocol.state.room import Room

SETTLE = 0.2
"""Seconds for which changes gather, so that the arrival of a crowd is one message."""
REFRESH = 5.0
FORGET = 12.0
ALONE = 6
"""One in this many refreshes also covers rooms in which no other node has a part."""
TOLD_A_SECOND = 1_000
"""How many followers of a room are told per second that the number of spectators has changed.
Without this bound, a growing crowd would hear more of itself than of the game (law 10)."""


@dataclass(frozen=True, slots=True)
class Part:
    """The part of an audience that one node serves: players by seat, and spectators."""

    players: tuple[bool, bool] = (False, False)
    spectators: int = 0

    def note(self, node: str, ask: bool) -> str:
        """The announcement. With `ask` it asks the other nodes to announce their parts."""
        first, second = self.players
        return f"{node} {first:d} {second:d} {self.spectators} {ask:d}"

    @property
    def seats(self) -> list[Seat]:
        """The seats whose players this node serves."""
        seats: tuple[Seat, Seat] = (0, 1)
        return [seat for seat in seats if self.players[seat]]


@dataclass(slots=True)
class Audience:
    """What a node knows of a room's audience: its own part, and the announced parts of the others.
    `announce`: our part must be announced; `ask`: the others must be asked for theirs. While a
    player is absent, `seen` is when the store last saw each player."""

    own: Part | None = None
    others: dict[str, tuple[Part, float]] = field(default_factory=dict)
    shown: Presence | None = None
    announce: bool = False
    ask: bool = False
    again: float = 0.0
    """When the number of spectators may be shown again."""
    seen: tuple[int, int] | None = None

    def hear(self, node: str, text: str) -> bool:
        """Take in a node's announcement. False if it is malformed, or our own."""
        try:
            who, first, second, spectators, ask = text.split(" ")
            part = Part((first == "1", second == "1"), int(spectators))
        except ValueError:
            return False
        if who == node:
            return False
        if part == Part():
            self.others.pop(who, None)
        else:
            self.others[who] = part, world.monotonic() + FORGET
        self.announce |= ask == "1"
        return True

    def count(self, room: Room, users: Iterable[str]) -> bool:
        """Count this node's part from the users who follow here. Returns whether it has changed."""
        present = set(users)
        held = [holder.user if holder else None for holder in room.seats]
        first, second = (user in present for user in held)
        part = Part((first, second), len(present.difference(held)))
        before, self.own = self.own or Part(), part
        self.ask |= before == Part() != part  # while we had no part, we heard of no other parts
        return part != before

    def total(self, room: Room) -> Presence:
        """The whole audience, as clients see it."""
        now = world.monotonic()
        self.others = {n: (p, until) for n, (p, until) in self.others.items() if until > now}
        parts = [self.own or Part(), *(part for part, _ in self.others.values())]
        first, second = (any(part.players[s] for part in parts) for s in (0, 1))
        told = Presence(
            room=room.id, players=(first, second), spectators=sum(p.spectators for p in parts)
        )
        if room.status != "running" or (first and second):
            self.seen = None
        if self.seen is None:
            return told
        paused = room.clock is not None and room.clock.paused is not None
        bound = None if paused else absence_bound(room.created.clock)
        gone = [None if told.players[s] else max(self.seen[s], room.heard[s]) for s in (0, 1)]
        claim = [None if since is None or bound is None else since + bound for since in gone]
        return structs.replace(told, gone=(gone[0], gone[1]), claim=(claim[0], claim[1]))

    @property
    def steady(self) -> bool:
        """Whether only this node can change the audience: no other node has a part, and no player
        is absent who may come at another node."""
        return not self.others and self.shown is not None and all(self.shown.players)

    def show(self, total: Presence, followers: int) -> float:
        """Note that `total` is now shown to this many followers, and return 0.0. If only the number
        of spectators has changed, and the audience was shown not long ago, return the seconds to
        wait instead (SPEC 6.5)."""
        now = world.monotonic()
        told = self.shown
        counted = told and structs.replace(told, spectators=total.spectators) == total
        if counted and now < self.again:
            return self.again - now
        self.shown, self.again = total, now + followers / TOLD_A_SECOND
        return 0.0


class Announcer:
    """Calls `settle` for rooms whose audience has changed, a moment later, and for others now and
    then.

    `settle(room_id)` announces and shows an audience; `rooms()` gives the rooms to refresh.
    """

    def __init__(
        self, settle: Callable[[str], Awaitable[None]], rooms: Callable[[], Iterable[str]]
    ) -> None:
        self._settle = settle
        self._rooms = rooms
        self._changed: set[str] = set()
        self._later: set[str] = set()
        self._wake = asyncio.Event()

    def touch(self, room_id: str) -> None:
        """The audience of this room may have changed."""
        self._changed.add(room_id)
        self._wake.set()

    def touch_later(self, room_id: str, seconds: float) -> None:
        """Touch a room this many seconds from now; only once, however often this is called."""
        if room_id not in self._later:
            self._later.add(room_id)
            asyncio.get_running_loop().call_later(seconds, self._touch_now, room_id)

    def _touch_now(self, room_id: str) -> None:
        self._later.discard(room_id)
        self.touch(room_id)

    async def run(self) -> None:
        """Settle audiences until cancelled."""
        refresh_at = world.monotonic() + REFRESH
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(refresh_at - world.monotonic()):
                    await self._wake.wait()
                await asyncio.sleep(SETTLE)
            if world.monotonic() >= refresh_at:  # even if something changes all the time
                self._changed.update(self._rooms())
                refresh_at = world.monotonic() + REFRESH
            self._wake.clear()
            changed, self._changed = self._changed, set()
            for room_id in sorted(changed):
                await self._settle(room_id)
