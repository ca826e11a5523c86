"""The table of deadlines: when rooms are due, and what the store knows of the time before.

Nodes sweep over all deadlines (`rooms.deadlines`). If no node did so for a while, that was an
outage, and rooms on the clock get its time back. The table also has when each player was last
there, and how long an open room stays.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from pierule_protocol.messages import Seat
from pierule_server.store.buckets import (
    bucket_of,
    clock_key,
    deadlines_key,
    heartbeat_keys,
    seen_key,
)
from pierule_server.store.clock import StoreClock
from pierule_server.store.driver.access import Access, Rest, Script
from pierule_server.terms import Outage

HEARTBEAT_MS = 500
"""Milliseconds between the heartbeats that nodes write for each bucket that has deadlines."""

STALE_MS = 2_000
"""The age in milliseconds from which a heartbeat shows that the store or all nodes were away."""

REMEMBER_MS = 86_400_000
"""Milliseconds for which the store remembers when a player was there: longer than any wait."""

SEEN_MS = 60_000
"""Milliseconds within which a node must say again that somebody waits in an open room."""

SWEEP_ROOMS = 100
"""The most rooms of a bucket that one sweep returns; the next sweep returns the next ones."""


@dataclass(frozen=True, slots=True)
class Sweep:
    """The result of a sweep over the deadlines: the store's time in ms since 1970, rooms whose
    deadline has passed, rooms that get time back, and the first deadline of all rooms, as that
    time (inf: there is none)."""

    now: int
    due: list[str]
    lost: list[str]
    first: float


class Deadlines:
    """The deadlines of rooms, outages and presence. Appended entries set the deadlines
    (`terms.AppendOptions`). Sweeps tell `clock` the store's time. Every method may raise
    `StoreUnavailable`."""

    def __init__(self, store: Access, clock: StoreClock) -> None:
        self._store = store
        self._clock = clock

    async def sweep(self, more: int = 0) -> Sweep:
        """Write the due heartbeats and look for rooms whose time is up. This changes no room (law
        3). The caller skips `more` rooms that it cannot settle, so this returns as many more:
        otherwise they would hide others. The answer lacks unreachable parts of the store; raises
        `StoreUnavailable` if all parts are unreachable."""
        began = self._clock.local()
        replies = await self._store.everywhere(
            _HEARTBEAT,
            lambda *buckets: _heartbeat_arguments(SWEEP_ROOMS + more, *buckets),
            joint=True, shows_health=True,
        )  # fmt: skip
        now = max(now for now, _, _, _ in replies)
        self._clock.hear(now, began, self._clock.local())
        return Sweep(
            now=now,
            due=[room.decode() for _, due, _, _ in replies for room in due],
            lost=[room.decode() for _, _, lost, _ in replies for room in lost],
            first=min(float(first) for _, _, _, first in replies),
        )

    async def of(self, room: str) -> float | None:
        """The deadline of an open or running room, in the store's ms since 1970; None if the room
        is over or has none."""
        bucket = bucket_of(room)
        score = await self._store.request(bucket, "ZSCORE", deadlines_key(bucket), room)
        return None if score is None else float(score)

    async def outage(self, room: str) -> Outage | None:
        """The time that the room has lost and not got back yet; None if there is none."""
        bucket, request = bucket_of(room), self._store.request
        async with self._store.bounded():
            # The caller may be the first to notice the outage.
            await _HEARTBEAT.run(request, bucket, *_heartbeat_arguments(0, bucket))
            reply = await request(bucket, "HGET", clock_key(bucket), room)
        return None if reply is None else Outage(*map(int, reply.split()))

    async def mark_seen(self, players: Mapping[str, Collection[Seat]]) -> None:
        """Note that the players in these seats are there now."""
        members: defaultdict[int, list[str | int]] = defaultdict(list)
        for room, seats in players.items():
            members[bucket_of(room)] += [_member(room, seat) for seat in seats]
        rests = {
            bucket: (1, seen_key(bucket), REMEMBER_MS, *each) for bucket, each in members.items()
        }
        await self._run_at(_MARK_SEEN, rests)

    async def seen(self, room: str) -> tuple[int, int]:
        """When the player of each seat was last there, in the store's ms since 1970; 0: never. If
        an outage ended later than that, its end, because the player may have been there."""
        bucket = bucket_of(room)
        members = (_member(room, 0), _member(room, 1), "")
        reply = await self._store.request(bucket, "ZMSCORE", seen_key(bucket), *members)
        first, second, outage = (int(float(score or 0)) for score in reply)
        return max(first, outage), max(second, outage)

    async def extend(self, rooms: Mapping[str, int]) -> None:
        """Let each open room stay for this many milliseconds from now, or until its deadline if
        that is later."""
        terms: defaultdict[int, list[str | int]] = defaultdict(list)
        for room, ms in rooms.items():
            terms[bucket_of(room)] += [room, ms]
        rests = {bucket: (1, deadlines_key(bucket), *each) for bucket, each in terms.items()}
        await self._run_at(_EXTEND_OPEN_ROOMS, rests)

    async def _run_at(self, script: Script, rests: Mapping[int, Rest]) -> None:
        """Run a script at several buckets, with these keys and arguments."""
        async with self._store.bounded():
            await asyncio.gather(
                *(script.run(self._store.request, bucket, *rest) for bucket, rest in rests.items())
            )


def _member(room: str, seat: Seat) -> str:
    """The member of `seen_key` for the player of a seat."""
    return f"{room} {seat}"


def _heartbeat_arguments(rooms: int, *buckets: int) -> Rest:
    keys = heartbeat_keys(*buckets)
    return (len(keys), *keys, HEARTBEAT_MS, STALE_MS, rooms)


_HEARTBEAT = Script("heartbeat.lua")
_MARK_SEEN = Script("mark_seen.lua")
_EXTEND_OPEN_ROOMS = Script("extend_open_rooms.lua")
