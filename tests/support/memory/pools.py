"""`pools` of a store in memory: see `pierule_server.store.tables.pools`."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass

from pierule_server.store.tables import pools as real
from pierule_server.store.tables.pools import (
    Overdue,
    Pairing,
    PoolKey,
    Seeker,
    SeekState,
    Verb,
    _encode,
)


@dataclass(slots=True)
class _Waiting:
    at: int
    lease: int
    pool: PoolKey
    seeker: Seeker
    avoids: Collection[str]


class MemoryPools:
    """Pools in the memory of one process."""

    def __init__(self, clock: Callable[[], int]) -> None:
        self._clock = clock
        self.seeks: dict[tuple[str, str], _Waiting] = {}
        self._paired: dict[tuple[str, str], tuple[int, Overdue | None]] = {}
        self._pairings: dict[bytes, tuple[int, Overdue]] = {}
        self._traffic: dict[PoolKey, tuple[int, float]] = {}

    async def seek(
        self,
        verb: Verb,
        pool: PoolKey,
        seeker: Seeker,
        token: str,
        avoids: Collection[str] = (),
    ) -> Overdue | SeekState:
        now, key = self._clock(), (seeker.user, seeker.nonce)
        if key in self._paired:
            return self._paired[key][1] or "gone"
        mine = self.seeks.get(key)
        if verb == "prune" and (mine is None or mine.lease >= now):
            return "waiting"
        if verb in ("withdraw", "prune"):
            self.seeks.pop(key, None)
            self._paired[key] = now, None
            return "gone"
        since = mine.at if mine else now
        if mine and now - since > real.LIFE_MS:
            del self.seeks[key]
            return "expired"
        if not mine and verb in ("renew", "away"):
            return "gone"
        if mine and verb == "away":
            mine.lease = now - 1
            return "waiting"
        if not mine and verb != "take" and len(self.seeks) >= real.MOST:
            return "full"
        seeker = _rated(seeker, mine)
        other = self._partner(pool, seeker, avoids, since, takes=verb == "take")
        if other is None:
            if verb != "take":
                self.seeks[key] = _Waiting(since, now + real.LEASE_MS, pool, seeker, avoids)
            return "gone" if verb == "take" else "waiting"
        pairing = Pairing(token, pool, self.seeks.pop(other).seeker, seeker)
        self.seeks.pop(key, None)
        text = _encode(pairing)
        overdue = Overdue(pairing, text)
        self._pairings[text] = self._paired[other] = self._paired[key] = (now, overdue)
        return overdue

    def _partner(
        self, pool: PoolKey, seeker: Seeker, avoids: Collection[str], since: int, *, takes: bool
    ) -> tuple[str, str] | None:
        now, key = self._clock(), (seeker.user, seeker.nonce)
        if (seeker.stands or pool.bot_level is not None) and not takes:
            return None
        me = _Waiting(since, now, pool, seeker, avoids)
        came = self._came(pool, new=not takes and key not in self.seeks)
        here = {
            other: each for other, each in self.seeks.items()
            if each.pool == pool and each.lease >= now >= each.at - real.LIFE_MS
            and (_welcomes(each, now) or not takes)
        }  # fmt: skip

        def reach(each: _Waiting) -> float:
            wait = now - min(each.at, since)
            if takes or came < real.FEW or wait >= real.PATIENCE_MS:
                return math.inf
            return real.SPREAD / came + real.SLOPE * wait / 1_000

        def near(item: tuple[tuple[str, str], _Waiting]) -> tuple[int, int, tuple[str, str]]:
            return (0 if takes else _gap(me, item[1])), item[1].at, item[0]

        fit = {other: each for other, each in here.items() if _fit(me, each, takes=takes)}
        others = {other: each for other, each in fit.items() if not _again(me, each)}
        found = [item for item in others.items() if _gap(me, item[1]) <= reach(item[1])]
        if found:
            return min(found, key=near)[0]
        if others or not fit:
            return None
        last, known = min(fit.items(), key=near)
        alone = not any(
            other[0] != seeker.user and _fit(known, each, takes=takes) and not _again(known, each)
            for other, each in here.items()
        )
        return last if alone and _gap(me, known) <= reach(known) else None

    def _came(self, pool: PoolKey, *, new: bool) -> float:
        """How many users came lately."""
        now = self._clock()
        at, before = self._traffic.get(pool, (now, 0.0))
        came = before * math.exp((at - now) / 60_000) + new
        if new and (pool in self._traffic or len(self._traffic) < real.MOST):
            self._traffic[pool] = now, came
        return came

    async def carried_out(self, overdue: Overdue) -> None:
        self._pairings.pop(overdue.text, None)

    async def sweep(self) -> tuple[list[Overdue], set[PoolKey]]:
        now = self._clock()
        for key in [key for key, each in self.seeks.items() if each.lease < now - real.GRACE_MS]:
            del self.seeks[key]
        if not self._pairings:
            for key in [key for key, (at, _) in self._paired.items() if at < now - real.KEPT_MS]:
                del self._paired[key]
        for pool in [p for p, (at, _) in self._traffic.items() if at < now - real.TRAFFIC_MS]:
            del self._traffic[pool]
        overdue = [each for at, each in self._pairings.values() if at <= now - real.OVERDUE_MS]
        waiting = (each for each in self.seeks.values() if each.lease >= now)
        return overdue, {each.pool for each in waiting if _welcomes(each, now)}


def _rated(seeker: Seeker, before: _Waiting | None) -> Seeker:
    """The seeker with the rating of the accepted seek, if there is none now."""
    if before is None or seeker.range is None or seeker.standing is not None:
        return seeker
    return before.seeker


def _agree(one: Seeker, other: Seeker) -> bool:
    """Whether both wishes for a rated game can be met."""
    wishes = {one.rated, other.rated}
    counts = all(each.registered and not each.bot for each in (one, other))
    return "yes" not in wishes or (counts and "no" not in wishes)


def _fit(one: _Waiting, other: _Waiting, *, takes: bool) -> bool:
    """Whether the two may be paired at all."""
    first, second = one.seeker, other.seeker
    return (
        first.user != second.user and _agree(first, second)
        and (takes or (_wants(first, second) and _wants(second, first)))
        and first.user not in other.avoids and second.user not in one.avoids
    )  # fmt: skip


def _wants(one: Seeker, other: Seeker) -> bool:
    """Whether the other is within this one's range."""
    wanted, mine, theirs = one.range, one.standing, other.standing
    if wanted is None:
        return True
    if mine is None or theirs is None:
        return False
    below = math.inf if wanted.below is None else wanted.below
    above = math.inf if wanted.above is None else wanted.above
    return -below <= theirs.rating - mine.rating <= above


def _gap(one: _Waiting, other: _Waiting) -> int:
    first, second = (
        real.UNRATED if each.seeker.standing is None else each.seeker.standing.rating
        for each in (one, other)
    )
    return abs(first - second)


def _again(one: _Waiting, other: _Waiting) -> bool:
    """Whether they last played each other."""
    first, second = one.seeker, other.seeker
    return first.last == second.user or second.last == first.user


def _welcomes(waiting: _Waiting, now: int) -> bool:
    """Whether the seek has waited long enough for a bot."""
    after = waiting.seeker.bot_after
    return after is not None and now - waiting.at >= after * 1_000
