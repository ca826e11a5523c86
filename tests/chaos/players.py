"""Real clients that play random legal games, and some that watch them.

They use the reference client as anybody would, and leave reconnecting to it. Players only add
persistence: an action without an answer is sent again, the same one at the same turn.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from random import Random
from typing import TypeVar

import pierule
from chaos.journal import Journal, writing
from chaos.reading import take_account
from pierule.room import new_nonce
from pierule_games import GAMES
from pierule_games.game import Fields, Position
from pierule_protocol.log.controls import ClockOptions, Fischer, Turnwise
from pierule_protocol.log.events import Access
from pierule_protocol.messages import Create
from pierule_protocol.state.position import PositionState

T = TypeVar("T")

TIMEOUT = 3.0
"""Seconds for a request of a client, which repeats it until then if it may."""
PATIENCE = 120.0

KINDS = (("loose", 5, 6), ("taugo", 6, 3), ("veletas", 7, 2))
"""Quick games, and how often each is chosen."""

CLOCKS: tuple[tuple[ClockOptions | None, int], ...] = (
    (Turnwise(time=1), 1),
    (Turnwise(time=2), 3),
    (Turnwise(time=5), 3),
    (Fischer(main=10, increment=1), 2),
    (Fischer(main=300, increment=5), 3),
    (None, 3),
)


@dataclass(eq=False)
class Crowd:
    """All clients of a run, with their journals. `failures` are the errors that ended one for
    good."""

    urls: Sequence[str]
    seed: int
    pace: float
    """Mean seconds that a player thinks."""
    access: Access = "public"
    """Who may see the rooms."""
    bears: frozenset[str] = frozenset()
    """Codes of refusals that end a game but not the run: a store may forget rooms."""
    journals: list[Journal] = field(default_factory=list)
    rooms: list[str] = field(default_factory=list)
    """Every room that was made, as far as its maker knows."""
    in_doubt: bool = False
    """Whether a room was refused. An earlier try may have made it all the same, and been answered
    too late."""
    running: dict[str, None] = field(default_factory=dict)
    failures: list[str] = field(default_factory=list)
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    actions: int = 0
    """The number of answers to actions, for progress; the checker uses the journals."""
    progress: asyncio.Event = field(default_factory=asyncio.Event)

    def made(self) -> list[str]:
        """Every room that was made, as far as a client of the makers was told."""
        if not self.in_doubt:
            return self.rooms
        told = (take_account(journal, {}, ()).made for journal in self.journals)
        return list(dict.fromkeys(chain(self.rooms, *told)))

    def is_at(self, ports: list[int]) -> bool:
        """Whether a player is connected to one of these ports."""
        return any(each.port in ports for each in self.journals if each.name.startswith("t"))

    async def reach(self, actions: int) -> None:
        """Wait until so many actions were played."""
        while self.actions < actions:
            self.progress.clear()
            await self.progress.wait()

    @asynccontextmanager
    async def client(self, name: str, rng: Random) -> AsyncIterator[pierule.Client]:
        """A client that knows all doors, in a random order."""
        journal = Journal(name)
        self.journals.append(journal)
        urls = list(self.urls)
        rng.shuffle(urls)
        connect = partial(pierule.connect, urls, name=name, timeout=TIMEOUT, patience=PATIENCE)
        with writing(journal):
            opened, client = await arrive(connect)
        try:
            yield client
        finally:
            await opened.__aexit__(None, None, None)


class Table:
    """Two players who play one game after the other."""

    def __init__(self, crowd: Crowd, number: int) -> None:
        self._crowd = crowd
        self._number = number
        self._rng = Random(f"{crowd.seed} table {number}")
        self._making: asyncio.Task[str] | None = None

    async def run(self, close: asyncio.Event) -> None:
        """Play until the crowd closes; then send a last request and wait until `close`."""
        crowd, rng = self._crowd, self._rng
        try:
            async with AsyncExitStack() as stack:
                names = (f"t{self._number}a", f"t{self._number}b")
                pair = [await stack.enter_async_context(crowd.client(n, rng)) for n in names]
                await asyncio.sleep(rng.uniform(0, 2 * crowd.pace))
                await _until(crowd.closing, self._games(pair))
                if self._making is not None:
                    await asyncio.wait([self._making])  # its room must be exported
                await close.wait()
                await asyncio.gather(*(insist(client.ping) for client in pair))
        except pierule.PieruleError as error:
            crowd.failures.append(f"table {self._number}: {error!r}")

    async def _games(self, pair: list[pierule.Client]) -> None:
        while True:
            self._rng.shuffle(pair)
            try:
                await self._game(*pair)
            except pierule.Refused as refused:
                if refused.code not in self._crowd.bears:
                    raise

    async def _game(self, first: pierule.Client, second: pierule.Client) -> None:
        crowd, rng = self._crowd, self._rng
        ((game, size, _),) = rng.choices(KINDS, [weight for *_, weight in KINDS])
        ((clock, _),) = rng.choices(CLOCKS, [weight for _, weight in CLOCKS])
        wanted = Create(
            id=0, nonce=new_nonce(), game=game, size=size, seat=0,
            clock=clock,  # type: ignore[arg-type]  # the strict form is for who reads requests
            access=crowd.access,
        )  # fmt: skip
        self._making = asyncio.create_task(self._make(first, wanted))
        made = await asyncio.shield(self._making)
        rooms = [await insist(lambda: first.join(made))]
        rooms.append(await insist(lambda: second.join(made, seat=1)))
        crowd.running[made] = None
        try:
            await asyncio.gather(*(self._play(room) for room in rooms))
        finally:
            crowd.running.pop(made, None)
        await asyncio.gather(*(insist(room.leave) for room in rooms))

    async def _make(self, client: pierule.Client, wanted: Create) -> str:
        """Make a room. It is exported whatever happens to the table."""
        try:
            ok = await insist(lambda: client._session.request(wanted))
        except pierule.Refused:
            self._crowd.in_doubt = True
            raise
        assert ok.room is not None
        self._crowd.rooms.append(ok.room)
        return ok.room

    async def _play(self, room: pierule.Room) -> None:
        async for state in room.turns():
            await asyncio.sleep(self._rng.uniform(0, 2 * self._crowd.pace))
            action = choose(state.position, self._rng)
            if self._rng.random() < 0.003:
                await self._resign(room)
            elif action is not None:
                await self._act(room, action, state)

    async def _act(self, room: pierule.Room, action: str, state: pierule.RoomState) -> None:
        """Repeat an action until it is answered or the room has moved on without it."""
        while True:
            try:
                await room.act(action, state.turn, state.epoch)
            except pierule.TimedOut:
                pass
            except pierule.Refused as refused:
                if refused.code not in ("unavailable", "internal", "rate"):
                    return  # late, or a fail-over took back the position
            else:
                self._crowd.actions += 1
                self._crowd.progress.set()
                return
            if (room.state.epoch, room.state.turn) != (state.epoch, state.turn):
                return

    async def _resign(self, room: pierule.Room) -> None:
        with suppress(pierule.Refused):  # it may end otherwise
            await insist(room.resign)


class Watcher:
    """A spectator of one running room after the other."""

    def __init__(self, crowd: Crowd, number: int) -> None:
        self._crowd = crowd
        self._number = number
        self._rng = Random(f"{crowd.seed} watcher {number}")

    async def run(self, close: asyncio.Event) -> None:
        crowd = self._crowd
        try:
            async with crowd.client(f"w{self._number}", self._rng) as client:
                await _until(crowd.closing, self._watch(client))
                await close.wait()
                await insist(client.ping)
        except pierule.PieruleError as error:
            crowd.failures.append(f"watcher {self._number}: {error!r}")

    async def _watch(self, client: pierule.Client) -> None:
        while True:
            await asyncio.sleep(self._rng.uniform(0.2, 1))
            if self._crowd.running:
                id_ = self._rng.choice(list(self._crowd.running))
                try:
                    await self._look_on(client, id_)
                except pierule.Refused as refused:
                    if refused.code not in self._crowd.bears:
                        raise

    async def _look_on(self, client: pierule.Client, id_: str) -> None:
        room = await insist(partial(client.join, id_))
        async for _ in room:
            pass
        await insist(room.leave)


async def arrive(
    connect: Callable[[], AbstractAsyncContextManager[pierule.Client]],
) -> tuple[AbstractAsyncContextManager[pierule.Client], pierule.Client]:
    """Connect, however often it takes: a client's first attempt is its only one, also while the
    store is away."""
    while True:
        opened = connect()
        try:
            return opened, await opened.__aenter__()
        except pierule.ConnectionLost:
            pass
        except pierule.Refused as refused:
            if refused.code != "unavailable":
                raise
        await asyncio.sleep(0.5)


async def insist(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask until there is an answer; any failure but silence is raised."""
    while True:
        try:
            return await ask()
        except pierule.TimedOut:
            pass
        except pierule.Refused as refused:
            if refused.code not in ("unavailable", "internal", "rate"):
                raise


async def _until(event: asyncio.Event, work: Coroutine[None, None, None]) -> None:
    """Do the work until the event is set; an earlier failure is raised."""
    task = asyncio.create_task(work)
    waiting = asyncio.create_task(event.wait())
    try:
        await asyncio.wait({task, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if task.done():
            await task
    finally:
        task.cancel()
        waiting.cancel()
        await asyncio.gather(task, waiting, return_exceptions=True)


def choose(state: PositionState, rng: Random) -> str | None:
    """A random legal action; None where there is none."""
    fields = Fields(**{name: getattr(state, name) for name in Fields.__dataclass_fields__
                       if name != "cells"}, cells=bytes(state.cells))  # fmt: skip
    position: Position = GAMES[state.game].restore(fields)
    if position.to_act is None:
        return None
    if not position.template():
        return rng.choice(list(position.actions()))
    while True:
        parts = []
        for part in position.template():
            if part.what == "komi":
                parts.append(f"komi:{rng.choice(part.numbers)}")
            else:
                points = rng.sample(part.points, part.count)
                parts.append(",".join(sorted(points, key=lambda point: (point[0], int(point[1:])))))
        action = "/".join(parts)
        if isinstance(position.play(action), type(position)):
            return action
