"""How long users wait for an opponent, and the opponent's strength, with and without pairing by
strength: `python -m bench.pairing` (protocol/RATINGS.md).

The real pairing script runs in an embedded store; only its clock is moved by the simulation. People
seek a game, play it, rest and seek again; a seek that waits is renewed every two seconds, as nodes
do it (but not while it waits alone, which would change nothing). Without pairing by strength the
script gets no ratings. Then all are equal to it, and the one who has waited longest comes first.
"""

from __future__ import annotations

import argparse
import asyncio
import heapq
import random
import statistics
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import redis

from pierule_protocol.log.events import Standing
from pierule_protocol.messages import RatingRange
from pierule_server.lobby.seeking import RENEW
from pierule_server.store.driver.access import Access
from pierule_server.store.driver.embedded import embedded_store
from pierule_server.store.tables import pools
from pierule_server.store.tables.pools import Overdue, PoolKey, Pools, Seeker, Verb

PEOPLE = (5, 50, 500)

STRENGTH, SPREAD = 1_500, 300
"""The mean and the standard deviation of people's strengths."""

GAME, REST = 480.0, 240.0
"""Seconds that a game and a rest take on average."""

CLOCK = b"""local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
"""

POOL = PoolKey("loose", 9, None)

HEAD = """\
| people | paired | mean wait | median wait | mean distance | median distance | same again |
|---|---|---|---|---|---|---|"""


class Simulated:
    """A store with a manual clock in seconds that runs the pairing script."""

    def __init__(self, url: str) -> None:
        self.now = 0.0
        self._client = redis.Redis.from_url(url)
        self._client.flushall()
        text = Path(pools.__file__).parents[1].joinpath("scripts", "seek.lua").read_bytes()
        if text.count(CLOCK) != 1:
            raise SystemExit("seek.lua reads the clock in a way that is not known here")
        self._script = self._client.script_load(
            text.replace(CLOCK, b"local now = tonumber(ARGV[#ARGV])\n")
        )

    async def request(self, _: int, command: str, __: str, *rest: Any, **___: Any) -> Any:
        """A node's request."""
        assert command == "EVALSHA"
        return self._client.evalsha(self._script, *rest, round(self.now * 1_000))

    async def everywhere(self, *_: Any) -> list[Any]:
        """Nothing is swept: entries expire by time."""
        return []


@dataclass(slots=True)
class Outcome:
    """For all games: the seconds that each player waited, the differences in strength, and whether
    either met their last opponent again."""

    waits: list[float] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)
    again: list[bool] = field(default_factory=list)


@dataclass(slots=True)
class Person:
    """A person who plays all the time; `since` is when they began their latest seek."""

    strength: int
    last: int | None = None
    since: float = 0.0
    seeks: int = 0


class Evening:
    """People who seek, play and rest."""

    def __init__(self, store: Simulated, people: int, *, rated: bool, rng: random.Random) -> None:
        self._store = store
        self._pools = Pools(cast("Access", store))
        self._rated = rated
        self._rng = rng
        self.people = [Person(round(rng.gauss(STRENGTH, SPREAD))) for _ in range(people)]
        self._events: list[tuple[float, int, int, Verb]] = []
        for number in range(people):
            self._later(number, "seek", rng.uniform(0, GAME + REST))
        self._waiting: set[int] = set()
        self.outcome = Outcome()

    async def play(self, games: int) -> Outcome:
        """Play so many games."""
        while len(self.outcome.gaps) < games:
            self._store.now, number, seeks, verb = heapq.heappop(self._events)
            person = self.people[number]
            if seeks != person.seeks:
                continue  # a renewal of a seek that was paired meanwhile
            if verb == "seek":
                person.since = self._store.now
            elif len(self._waiting) == 1:
                self._later(number, "renew", RENEW)
                continue
            done = await self._pools.seek(verb, POOL, self._seeker(number), f"{0:016x}")
            if isinstance(done, Overdue):
                self._pair(int(done.pairing.first.user), int(done.pairing.second.user))
            else:
                self._waiting.add(number)
                self._later(number, "renew", RENEW)
        return self.outcome

    def _seeker(self, number: int) -> Seeker:
        person = self.people[number]
        return Seeker(
            str(number), str(person.seeks), "N",
            standing=Standing(person.strength, 60) if self._rated else None,
            last=str(person.last) if self._rated else None,
        )  # fmt: skip

    def _pair(self, *numbers: int) -> None:
        one, other = (self.people[number] for number in numbers)
        self.outcome.gaps.append(abs(one.strength - other.strength))
        self.outcome.again.append(one.last == numbers[1] or other.last == numbers[0])
        one.last, other.last = numbers[::-1]
        self._waiting -= set(numbers)
        length = self._rng.expovariate(1 / GAME)
        for number in numbers:
            self.outcome.waits.append(self._store.now - self.people[number].since)
            self.people[number].seeks += 1
            self._later(number, "seek", length + self._rng.expovariate(1 / REST))

    def _later(self, number: int, verb: Verb, seconds: float) -> None:
        event = self._store.now + seconds, number, self.people[number].seeks, verb
        heapq.heappush(self._events, event)


async def compare(url: str, people: int, games: int, seed: int) -> list[str]:
    """The rows of the table for this many people."""
    rows = []
    for rated in (False, True):
        evening = Evening(Simulated(url), people, rated=rated, rng=random.Random(seed))
        outcome = await evening.play(games)
        cells = [
            f"{people}", "by strength" if rated else "by waiting time",
            *(f"{of(outcome.waits):.1f} s" for of in (statistics.mean, statistics.median)),
            *(f"{of(outcome.gaps):.0f}" for of in (statistics.mean, statistics.median)),
            f"{statistics.mean(outcome.again):.0%}",
        ]  # fmt: skip
        rows.append(f"| {' | '.join(cells)} |")
    return rows


async def measure(url: str, seeks: int, calls: int = 200) -> float:
    """Milliseconds of a call with this many seeks in a pool, none of which may be paired."""
    store = Simulated(url)
    there = Pools(cast("Access", store))
    seekers = [
        Seeker(f"user{number}", "nonce", "A name of theirs", registered=True,
               standing=Standing(1_500 + number * 3_000, 60), range=RatingRange(0, 2_000))
        for number in range(seeks)
    ]  # fmt: skip
    for seeker in seekers:
        await there.seek("seek", POOL, seeker, "t")
    began = time.perf_counter()
    for seeker in seekers[:calls]:
        await there.seek("renew", POOL, seeker, "t")
    return (time.perf_counter() - began) / min(calls, seeks) * 1_000


async def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.pairing")
    parser.add_argument("--games", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    pools.LEASE_MS = pools.LIFE_MS  # nobody is gone
    with tempfile.TemporaryDirectory() as folder:
        async with embedded_store(Path(folder), "no") as url:
            print(HEAD)
            for people in PEOPLE:
                print("\n".join(await compare(url, people, chosen.games, chosen.seed)), flush=True)
            for seeks in (10, 100, 1_000):
                print(f"{seeks} seeks: {await measure(url, seeks):.2f} ms a call")


if __name__ == "__main__":
    asyncio.run(main())
