"""Games whose people are cut off again and again and come back: nothing may get lost."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from websockets.exceptions import InvalidMessage, InvalidStatus

from pierule_protocol.codes import MEANINGS, Code
from pierule_protocol.log.events import Place
from pierule_protocol.messages import Act, Ok
from support.games import Game, check_mirror, seat_both
from support.peer import Gone, Peer

BOUND = 90.0
PEOPLE = (("Ada", "msgpack"), ("Bea", "json"), ("Eve", "json"))
"""Two players and a spectator."""


class Match:
    """A game whose people go on at the next available server when they are cut off.

    `door` tells where to connect to, and waits while there is nowhere. `acknowledged` holds the
    answers to the actions. No action is played at the turn `limit` until `allow` moves it on.
    """

    def __init__(self, door: Callable[[], Awaitable[str]], of: Game) -> None:
        self.of = of
        self.room = ""
        self.peers: list[Peer] = []
        self.acknowledged: list[Ok] = []
        self.interruptions = 0
        self.refusals = 0
        self.limit = of.turns
        self._door = door
        self._progress = asyncio.Event()
        self._allowed = asyncio.Event()

    async def begin(self) -> None:
        self.peers = [await Peer.open(await self._door(), *who) for who in PEOPLE]
        first, second, watcher = self.peers
        self.room = await seat_both(first, second, self.of)
        await watcher.follow(self.room)

    async def play(self) -> None:
        """Play to the end, whatever happens to connections."""
        while (turn := len(self.acknowledged)) < self.of.turns:
            while turn >= self.limit:
                self._allowed.clear()
                await self._allowed.wait()
            try:
                await self._act(turn)
            except Gone:
                await self._come_back()
        for peer in range(len(self.peers)):
            try:
                await self.peers[peer].until_over(self.room)
            except Gone:
                await self._come_back()
                await self.peers[peer].until_over(self.room)

    async def reach(self, turn: int) -> None:
        """Wait until `turn` actions are acknowledged."""
        while len(self.acknowledged) < turn:
            self._progress.clear()
            await self._progress.wait()

    def allow(self, limit: int) -> None:
        """Let the game go on up to a turn."""
        self.limit = limit
        self._allowed.set()

    async def _act(self, turn: int) -> None:
        mover = self.peers[self.of.positions[turn].to_act or 0]
        await mover.until_turn(self.room, turn)
        answer = await mover.ask(Act, room=self.room, turn=turn, action=self.of.actions[turn])
        if isinstance(answer, Ok):
            self.acknowledged.append(answer)
            self._progress.set()
        else:
            assert MEANINGS[Code(answer.code)].retry, answer
            self.refusals += 1

    async def _come_back(self) -> None:
        """Connect everybody again, and resume."""
        self.interruptions += 1
        while True:
            url = await self._door()
            try:
                back = [await peer.again(url) for peer in self.peers]
                for peer in back:
                    assert (await peer.resume(self.room)).resumed is True
            except (Gone, OSError, InvalidMessage):
                continue
            except InvalidStatus:  # it drains, and the next is not there yet
                await asyncio.sleep(0.05)
                continue
            for peer in self.peers:
                await peer.close()
            self.peers = back
            return

    async def check(self) -> None:
        """Check that everybody has the whole game, and that each acknowledged event is at its
        place."""
        for peer in self.peers:
            check_mirror(peer, self.room, self.of)
        begun = self.peers[0].states[self.room][0]
        async with await Peer.open(await self._door()) as newcomer:
            newcomer.remember(begun)
            assert (await newcomer.resume(self.room)).resumed is True
            assert await newcomer.until_over(self.room) == self.peers[0].state(self.room)
            places = {
                event.diff.turn: Place(event.epoch, event.seq, event.chain)
                for event in newcomer.events(self.room)
            }
        said = [(answer.turn, answer.place) for answer in self.acknowledged]
        assert said == [(turn + 1, places[turn + 1]) for turn in range(self.of.turns)]
        for peer in self.peers:
            await peer.close()


@asynccontextmanager
async def playing(matches: Sequence[Match]) -> AsyncIterator[None]:
    """Play all matches while the context lasts, to their ends, and check them."""
    async with asyncio.timeout(BOUND):
        for match in matches:
            await match.begin()
        async with asyncio.TaskGroup() as group:
            for match in matches:
                group.create_task(match.play())
            yield
        for match in matches:
            await match.check()
