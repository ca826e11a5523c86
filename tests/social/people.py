"""People who come and go: each does random things, drawn from a seed, with the reference client.

What they do in a room is in `table`. Nothing is judged here: the journals record what was sent and
received, and a refusal is an answer like any other.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import aclosing, asynccontextmanager, suppress
from random import Random
from typing import Literal

import pierule
from chaos.journal import Journal, writing
from chaos.players import insist
from pierule_protocol.log.controls import ClockOptions, Fischer, Turnwise
from pierule_protocol.log.events import Access
from pierule_protocol.messages import Seat
from social.crowd import Crowd, dare
from social.table import Player, say, watch

TIMEOUT = 30.0
"""Seconds for a request of a client: a busy machine is not a fault."""
PATIENCE = 120.0
WAIT = 3.0
"""The longest wait for an opponent, in seconds."""

POOLS: tuple[tuple[str, int, ClockOptions | None], ...] = (
    ("taugo", 6, Fischer(main=300, increment=2)),
    ("loose", 5, Fischer(main=300, increment=2)),
    ("loose", 5, Turnwise(time=3)),
    ("veletas", 7, None),
    *(("loose", 5, Turnwise(time=seconds)) for seconds in (60, 61, 62, 63)),
)
"""The games that people want: few, so that they find each other, but not always at once."""


class _Left(Exception):
    """The person has gone without a word."""


class Person:
    """One user, over as many connections as it takes."""

    bears: tuple[type[pierule.PieruleError], ...] = ()
    """Errors that end a visit, but not the run."""
    pools = POOLS
    seeks: tuple[int, ...] = (0, 1, 1, 2)
    """The number of simultaneous seeks, drawn from these; 0: they leave while they seek."""

    def __init__(self, crowd: Crowd, number: int) -> None:
        self._crowd = crowd
        self._rng = Random(f"{crowd.seed} person {number}")
        self._journal = Journal(f"p{number}")
        self._name = self._journal.name
        self._token: str | None = None
        self._mortal = number % 8 == 7
        self._vanished = False
        crowd.journals.append(self._journal)

    async def live(self) -> None:
        """Come and go until it is time to close, or for good."""
        crowd, rng = self._crowd, self._rng
        try:
            while not self._vanished and not await crowd.idle(
                rng, rng.choice((0, 0, 8)) * crowd.pace
            ):
                with suppress(_Left, *self.bears):
                    async with self._here() as client:
                        self._vanished = await self._visit(client)
        except pierule.PieruleError as error:
            crowd.failures.append(f"{self._journal.name}: {error!r}")

    async def tidy(self) -> None:
        """At the end, when nobody begins anything any more, end every room that is not over."""
        if self._vanished:
            return
        async with self._here() as client:
            while rooms := await insist(client.my_rooms):
                for mine in rooms:
                    room = await client.join(mine.card.room)
                    await dare(room.abort() if room.state.status == "open" else room.resign())

    @asynccontextmanager
    async def _here(self) -> AsyncIterator[pierule.Client]:
        """A connection, through any door; it may end abruptly."""
        urls = list(self._crowd.urls)
        self._rng.shuffle(urls)
        with writing(self._journal):
            opened = pierule.connect(
                urls, name=self._name, token=self._token, timeout=TIMEOUT, patience=PATIENCE
            )
            client = await opened.__aenter__()
        if self._token is None:
            self._crowd.users.append(client.user)
            if self._mortal:
                self._crowd.mortal.add(client.user)
        self._token = client.token
        try:
            yield client
        finally:
            self._token = client.token  # a name that was registered twice ends the first session
            wire = client._session._requests.connection
            if wire is not None and not self._crowd.closing.is_set() and self._rng.random() < 0.5:
                wire._socket.transport.abort()
            await opened.__aexit__(None, None, None)

    async def _visit(self, client: pierule.Client) -> bool:
        """Go on with running games, then do random things; return whether the person leaves for
        good."""
        rng = self._rng
        for mine in await insist(client.my_rooms):
            await self._play(client, client.join(mine.card.room))
        for _ in range(rng.randint(2, 6)):
            if await self._crowd.idle(rng):
                return False
            errand = rng.choices(
                (self._seek, self._open, self._sit_down, self._challenge, self._answer,
                 self._watch, self._look_around),
                (8, 5, 6, 4, 8, 6, 2),
            )[0]  # fmt: skip
            await errand(client)
        return self._mortal and rng.random() < 0.3 and await self._may_vanish(client)

    async def _may_vanish(self, client: pierule.Client) -> bool:
        """Whether each room of this user has another player to end it."""
        for mine in await insist(client.my_rooms):
            room = await client.join(mine.card.room)
            if not {each.user for each in room.state.seats if each} - self._crowd.mortal:
                return False
        return True

    # --- errands -----------------------------------------------------------------------------

    async def _seek(self, client: pierule.Client) -> None:
        """Seek, or seek the same twice at once, or leave while seeking."""
        pool = self._rng.choice(self.pools)
        times = self._rng.choice(self.seeks)
        if not times:
            seeking = asyncio.create_task(client.seek(*pool))
            await self._crowd.idle(self._rng)
            await client._session.close()
            await asyncio.gather(seeking, return_exceptions=True)
            raise _Left
        await asyncio.gather(*(self._play(client, client.seek(*pool)) for _ in range(times)))

    async def _challenge(self, client: pierule.Client) -> None:
        other = self._rng.choice(self._crowd.users)
        if other != client.user:
            pool = self._rng.choice(self.pools)
            await self._play(client, client.challenge(other, *pool))

    async def _answer(self, client: pierule.Client) -> None:
        """Accept or decline a challenge."""
        challenges = client.challenges()
        with suppress(TimeoutError):
            told = await asyncio.wait_for(anext(challenges), self._crowd.pace)
            if self._rng.random() < 0.7:
                await self._play(client, client.accept(told.challenge))
            else:
                await dare(client.decline(told.challenge))

    async def _play(self, client: pierule.Client, coming: Awaitable[pierule.Room]) -> None:
        """Wait a while for a room, and play in it. After giving up there may be a room all the
        same: it is found later, among the user's rooms."""
        with suppress(pierule.Refused, TimeoutError):
            room = await asyncio.wait_for(coming, self._rng.uniform(0.1, WAIT))
            await Player(self._crowd, client, room, self._rng).play()

    async def _open(self, client: pierule.Client) -> None:
        """Make a room and wait for somebody to sit down."""
        rng = self._rng
        accesses: tuple[Access, ...] = ("public", "public", "unlisted")
        game, size, clock = rng.choice(self.pools)
        seats: tuple[Seat | Literal["random"], ...] = (0, 1, "random")
        room = await client.create(
            game, size, rng.choice(seats), clock,
            access=rng.choice(accesses), delay=rng.choice((0, 2, 5)),
        )  # fmt: skip
        if rng.random() < 0.3:
            await say(self._crowd, room)
        with suppress(TimeoutError):
            async with asyncio.timeout(rng.uniform(0, WAIT)):
                async for state in room:
                    if state.status != "open":
                        break
        if room.state.status == "open" and rng.random() < 0.7:
            await dare(room.abort())
        await Player(self._crowd, client, room, rng).play()

    async def _sit_down(self, client: pierule.Client) -> None:
        """Take a free seat in any room."""
        cards = [card for card in await client.rooms() if card.status == "open"]
        if cards:
            await self._play(client, client.join(self._rng.choice(cards).room, "any"))

    async def _watch(self, client: pierule.Client) -> None:
        """Watch a running game; in their own, people are back as players."""
        cards = [card for card in await client.rooms(100) if card.status == "running"]
        if cards:
            room = await client.join(self._rng.choice(cards).room)
            await watch(self._crowd, room, self._rng)

    async def _look_around(self, client: pierule.Client) -> None:
        """Watch the lobby."""
        with suppress(TimeoutError):
            async with asyncio.timeout(self._rng.uniform(0, WAIT)), aclosing(client.lobby()) as it:  # type: ignore[type-var]
                async for _ in it:
                    pass
