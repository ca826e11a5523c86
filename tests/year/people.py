"""The people of a simulated year, and what they do: play quickly, and end games in every way."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from random import Random
from typing import Any, Final, TypeVar

import pierule
from pierule_games import GAMES
from support.games import Game, game
from year.places import WEEKS, Places

T = TypeVar("T")

KINDS: Final = (("loose", 5, 6), ("taugo", 6, 3), ("veletas", 7, 2))
"""Quick games, and how often each is chosen."""

ENDS: Final = (("resigned", 86), ("draw", 4), ("short", 3), ("unwished", 4), ("private", 3))
"""How games end, or why they do not count, and how often of a hundred."""

FAULTS, GAMES_A_FAULT = 16, 100
"""At least so many faults; in a long run, one in so many games."""

VOIDS = 6
DELETED = 2
GUESTS = 2
TIMEOUT, PATIENCE = 10.0, 180.0
AGAIN = ("unavailable", "internal", "rate", "stale", "ahead")


@dataclass(slots=True)
class Year:
    """How much is to happen, and what has; after `ends` no game begins."""

    games: int
    people: int
    tables: int
    seed: int
    ends: float = math.inf
    rng: Random = field(init=False)
    finished: set[str] = field(default_factory=set)
    rated: list[str] = field(default_factory=list)
    voided: list[str] = field(default_factory=list)
    deleted: list[str] = field(default_factory=list)
    kinds_played: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.rng = Random(f"year {self.seed}")

    @property
    def played(self) -> int:
        """Games that are over."""
        return len(self.finished)

    @property
    def over(self) -> bool:
        """Whether there is no time for more games."""
        return time.monotonic() > self.ends

    @property
    def faults(self) -> int:
        """How often something is killed."""
        return max(FAULTS, self.games // GAMES_A_FAULT)

    @property
    def kinds(self) -> list[str]:
        """The games that are played."""
        return [name for name, *_ in KINDS]


@dataclass(eq=False, slots=True)
class Person:
    """Somebody, and how strong they are."""

    client: pierule.Client
    strength: float


async def live(year: Year, world: Places) -> None:
    """A year of games, with faults, voids and deletions in the middle of it."""
    async with AsyncExitStack() as stack:
        people = []
        for number in range(year.people + GUESTS):
            urls = world.urls
            year.rng.shuffle(urls)
            opened = pierule.connect(urls, name=f"p{number}", timeout=TIMEOUT, patience=PATIENCE)
            client = await stack.enter_async_context(opened)
            if number < year.people:
                await insist(partial(client.register, f"Player-{number}"))
            people.append(Person(client, year.rng.gauss(0, 200)))
        # Who has never played loses their account after a week.
        await asyncio.gather(
            *(_game(year, *pair) for pair in zip(people[::2], people[1::2], strict=False))
        )
        lived = asyncio.Event()
        faults = asyncio.create_task(_hurt(year, world, lived))
        began = time.monotonic()
        for week in range(WEEKS):
            until = year.games * (week + 1) // WEEKS
            await _week(year, people, until)
            if faults.done():
                faults.result()
            if week in spread(VOIDS) and year.rated:
                room = year.rated.pop(year.rng.randrange(len(year.rated)))
                await asyncio.to_thread(world.void, room)
                year.voided.append(room)
            if week in spread(DELETED):
                gone = people.pop(0)
                with suppress(pierule.Refused):  # the first try may have done it
                    await insist(gone.client.delete_account)
                year.deleted.append(gone.client.user)
            await world.week()
            seconds = time.monotonic() - began
            if week % 4 == 3:
                print(
                    f"{progress(week + 1, year.played, seconds)}, {dict(world.killed)}", flush=True
                )
        lived.set()
        await faults


def progress(weeks: int, played: int, seconds: float) -> str:
    """How far the year is, how fast it goes, and how long it will still take."""
    pace, left = 60 * played / seconds, seconds * (WEEKS - weeks) / weeks / 60
    return f"week {weeks}: {played} games, {pace:.0f} a minute, {left:.0f} minutes left"


def spread(several: int) -> set[int]:
    """So many weeks of the year, evenly."""
    return {WEEKS * (each + 1) // (several + 1) for each in range(several)}


async def _hurt(year: Year, world: Places, lived: asyncio.Event) -> None:
    """Kill something again and again, each time while games are played."""
    for number in range(year.faults):
        while year.played < year.games * (number + 0.5) / year.faults:
            if lived.is_set():  # fewer games than there were to be
                return
            await asyncio.sleep(0.05)
        await asyncio.to_thread(world.kill, number)


async def _week(year: Year, people: list[Person], until: int) -> None:
    """Games until so many were played since the year began."""
    left = until - year.played - len(year.failures)

    async def table() -> None:
        nonlocal left
        while left > 0 and not year.over:
            left -= 1
            await _game(year, *year.rng.sample(people, 2))

    await asyncio.gather(*(table() for _ in range(year.tables)))


async def _game(year: Year, first: Person, second: Person) -> None:
    """Two people play."""
    rng = year.rng
    name, size = rng.choices([kind[:2] for kind in KINDS], [kind[2] for kind in KINDS])[0]
    (end,) = rng.choices([each for each, _ in ENDS], [share for _, share in ENDS])
    better = 1 / (1 + math.exp((second.strength - first.strength) * math.log(10) / 400))
    plan = _Plan(game(name, size), rng.choice([2, 3]) if end == "short" else rng.randint(4, 7),
                 int(rng.random() < better), draw=end == "draw" and GAMES[name].draws)  # fmt: skip
    options: dict[str, Any] = {
        "unwished": {"rated": "no"}, "private": {"access": "private"},
    }.get(end, {})  # fmt: skip
    try:
        room = await insist(lambda: first.client.create(name, size, seat=0, **options))
        other = await insist(
            lambda: second.client.join(room.id, seat=1, invitation=room.invitation)
        )
        async with asyncio.timeout(PATIENCE):
            await asyncio.gather(plan.play(room, 0), plan.play(other, 1))
        if room.state.unrated is None:
            year.rated.append(room.id)
        year.kinds_played[room.state.unrated or "rated"] += 1
        year.finished.add(room.id)
        await asyncio.gather(insist(room.leave), insist(other.leave))
    except (pierule.PieruleError, AssertionError, TimeoutError) as error:
        year.failures.append(f"{name}, {end}: {error!r}")
        print(year.failures[-1], flush=True)


@dataclass(frozen=True, slots=True)
class _Plan:
    """The first actions of a game, and how it ends then."""

    of: Game
    plies: int
    loser: int
    draw: bool

    async def play(self, room: pierule.Room, seat: int) -> None:
        """Do what is this seat's to do, until the game is over."""
        done = -1
        async for state in room:
            if state.status == "open" or state.result is not None:
                continue
            if state.turn < self.plies:
                if done < state.turn and self.of.positions[state.turn].to_act == seat:
                    done = state.turn
                    await _once(partial(room.act, self.of.actions[done], done))
            elif done < self.plies and (self.draw or seat == self.loser):
                done = self.plies
                await _once(partial(room.offer, "draw") if self.draw else room.resign)
        assert room.over


async def _once(ask: Callable[[], Awaitable[pierule.RoomState]]) -> None:
    """Ask until it has happened; a retry may find that it has."""
    try:
        await insist(ask)
    except pierule.Refused as refused:
        if refused.code not in ("finished", "not_now"):
            raise


async def insist(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask until there is an answer, while something is being killed."""
    async with asyncio.timeout(PATIENCE):
        while True:
            with suppress(pierule.TimedOut):
                try:
                    return await ask()
                except pierule.Refused as refused:
                    if refused.code not in AGAIN:
                        raise
            await asyncio.sleep(0.05)
