"""Those whom an attack must not hurt: somebody who plays on, and a school that comes back."""

from __future__ import annotations

import asyncio
import time
from contextlib import suppress

from websockets.exceptions import WebSocketException

from abuse.connection import Answer, RawConnection, fresh_nonce
from support.games import Game, games

PACE = 0.1
"""Seconds between the actions of a player."""

RETRY = 0.05
"""Seconds before somebody whose connection was lost tries again."""

PUPILS = 30


class Player:
    """One user who holds both seats of some rooms, and plays one after the other. Made while
    nothing goes on, so that nothing has to be made later."""

    def __init__(self, url: str, source: str) -> None:
        self.url, self.source = url, source
        self.user = ""
        self.seconds: list[float] = []
        self._token = ""
        self._line: RawConnection
        self._rooms: list[tuple[str, Game]] = []
        self._places: dict[str, Answer] = {}

    async def begin(self, steps: int) -> None:
        """Come as a new guest, and make rooms for so many actions."""
        self._line = await RawConnection.open(self.url, self.source)
        welcome = (await self._line.done("hello"))["welcome"]
        self.user, self._token = welcome["user"], welcome["token"]
        long = max((game for game in games() if game.game == "loose"), key=lambda one: one.turns)
        while steps > 0:
            made = await self._line.done(
                "create", nonce=fresh_nonce(), game=long.game, size=long.size, seat=0,
                access="unlisted",
            )  # fmt: skip
            room = made["room"]
            seated = await self._line.done("join", room=room, seat=1, nonce=fresh_nonce())
            self._places[room] = seated["place"]
            self._rooms.append((room, long))
            steps -= long.turns
        self._turn = 0

    @property
    def room(self) -> str:
        """Where they play now."""
        return self._rooms[0][0]

    async def act(self) -> None:
        """Play the next action, and note how long it took."""
        room, game = self._rooms[0]
        began = time.perf_counter()
        answer = await self._line.done(
            "act", room=room, turn=self._turn, action=game.actions[self._turn]
        )
        self.seconds.append(time.perf_counter() - began)
        self._places[room] = answer["place"]
        self._turn += 1
        if self._turn == game.turns:
            self._rooms.pop(0)
            self._turn = 0

    async def play(self, seconds: float) -> None:
        """Play on for so long, at one's pace."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            await asyncio.gather(self.act(), asyncio.sleep(PACE))

    async def come_back(self) -> float:
        """Connect anew as the same user, go on in the same room and act; the seconds that took."""
        began = time.perf_counter()
        while True:
            with suppress(WebSocketException, OSError, TimeoutError):
                self._line = await RawConnection.open(self.url, self.source)
                await self._line.done("hello", token=self._token)
                await self._line.done("join", room=self.room, since=self._places[self.room])
                before = list(self.seconds)
                await self.act()
                self.seconds = before  # This one is no action like the others.
                return time.perf_counter() - began
            await asyncio.sleep(RETRY)

    async def leave(self) -> None:
        await self._line.close()


async def school(url: str, source: str) -> list[Player]:
    """Thirty players behind one address, who begin at once."""
    pupils = [Player(url, source) for _ in range(PUPILS)]
    await asyncio.gather(*(pupil.begin(1) for pupil in pupils))
    return pupils
