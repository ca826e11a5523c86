"""`pools` of a store in memory: see `pierule_server.store.tables.pools`."""

from __future__ import annotations

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
        other = self._partner(pool, seeker, avoids, takes=verb == "take")
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
        self, pool: PoolKey, seeker: Seeker, avoids: Collection[str], *, takes: bool
    ) -> tuple[str, str] | None:
        now = self._clock()
        found = [
            (_met(seeker, each.seeker), each.at, other) for other, each in self.seeks.items()
            if each.pool == pool and each.lease >= now >= each.at - real.LIFE_MS
            and other[0] != seeker.user and other[0] not in avoids
            and seeker.user not in each.avoids and _agree(seeker, each.seeker)
            and (_welcomes(each, now) or not takes)
        ]  # fmt: skip
        alone = seeker.stands or pool.bot_level is not None
        return min(found)[2] if found and (takes or not alone) else None

    async def carried_out(self, overdue: Overdue) -> None:
        self._pairings.pop(overdue.text, None)

    async def sweep(self) -> tuple[list[Overdue], set[PoolKey]]:
        now = self._clock()
        for key in [key for key, each in self.seeks.items() if each.lease < now - real.GRACE_MS]:
            del self.seeks[key]
        if not self._pairings:
            for key in [key for key, (at, _) in self._paired.items() if at < now - real.KEPT_MS]:
                del self._paired[key]
        overdue = [each for at, each in self._pairings.values() if at <= now - real.OVERDUE_MS]
        waiting = (each for each in self.seeks.values() if each.lease >= now)
        return overdue, {each.pool for each in waiting if _welcomes(each, now)}


def _agree(one: Seeker, other: Seeker) -> bool:
    """Whether their game would be as both wish."""
    wishes = {one.rated, other.rated}
    counts = all(each.registered and not each.bot for each in (one, other))
    return "yes" not in wishes or (counts and "no" not in wishes)


def _met(one: Seeker, other: Seeker) -> bool:
    """Whether they played lately."""
    return other.user in one.met or one.user in other.met


def _welcomes(waiting: _Waiting, now: int) -> bool:
    """Whether it has waited long enough for a bot."""
    after = waiting.seeker.bot_after
    return after is not None and now - waiting.at >= after * 1_000
