"""Many watchers of the same rooms, and how long each event takes to reach each of them."""

from __future__ import annotations

import asyncio
import random
import time
from contextlib import AsyncExitStack
from dataclasses import dataclass
from functools import partial
from itertools import count
from typing import cast
from urllib.parse import urlsplit

import msgspec

from pierule_games import GAMES
from pierule_games.refusal import Refusal
from pierule_protocol.messages import Create
from support.peer import Peer, fresh_nonce
from support.raw import BINARY, Raw, masked, request

BOUND = 60.0
PLIES = 240
"""A number of actions that surely fits into a game."""


@dataclass(frozen=True)
class Latencies:
    """Seconds from sending an action until a watcher has its event, for all watchers."""

    all: list[float]

    def quantile(self, part: float) -> float:
        """In milliseconds."""
        return sorted(self.all)[min(int(part * len(self.all)), len(self.all) - 1)] * 1_000


class Watcher(asyncio.Protocol):
    """Reads everything and decodes nothing, so that a thousand fit into one process. `times` holds
    when each event arrived."""

    def __init__(self, url: str, rooms: list[str]) -> None:
        self.times: list[float] = []
        self.joined = asyncio.get_running_loop().create_future()
        self.lost = False
        self._url, self._rooms = url, rooms
        self._data = b""
        self._snapshots = 0
        self._upgraded = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._transport.write(request(self._url))

    def connection_lost(self, exc: Exception | None) -> None:
        self.lost = True

    def data_received(self, data: bytes) -> None:
        now = time.perf_counter()
        data = self._data + data
        if not self._upgraded:
            head, end, data = data.partition(b"\r\n\r\n")
            if not end:
                self._data = head
                return
            assert b" 101 " in head, head
            self._upgraded = True
            self._send(id=0, type="hello")
            for number, room in enumerate(self._rooms, 1):
                self._send(id=number, type="join", room=room)
        self._data = self._take(data, now)

    def _take(self, data: bytes, now: float) -> bytes:
        start = 0
        while len(data) >= start + 4:
            length, body = data[start + 1], start + 2
            if length == 126:
                body, length = start + 4, int.from_bytes(data[start + 2 : start + 4])
            if len(data) < body + length:
                break
            if data[start] == 0x89:
                self._transport.write(masked(10, data[body : body + length]))
            if b"\xa4type\xa5event" in data[body : body + 16]:
                self.times.append(now)
            elif b"\xa4type\xa8snapshot" in data[body : body + 20]:
                self._snapshots += 1
                if self._snapshots == len(self._rooms):
                    self.joined.set_result(None)
            start = body + length
        return data[start:]

    def _send(self, **message: object) -> None:
        self._transport.write(masked(BINARY, msgspec.msgpack.encode(message)))

    def close(self) -> None:
        self._transport.abort()


def _same(watcher: Watcher) -> Watcher:
    return watcher


def long_game(seed: int, plies: int) -> list[str]:
    """Legal actions of a game of Loose on the largest board."""
    chance = random.Random(seed)
    position = GAMES["loose"].opening(19)
    actions: list[str] = []
    for first in ("komi:12", "black"):
        after = position.play(first)
        assert not isinstance(after, Refusal)
        position = after
        actions.append(first)
    points = [f"{column}{row}" for column in "abcdefghijklmnopqrs" for row in range(1, 20)]
    chance.shuffle(points)
    for point in points:
        after = position.play(point)
        if len(actions) < plies and not isinstance(after, Refusal) and after.winner is None:
            position = after
            actions.append(point)
    assert len(actions) == plies
    return actions


class Show:
    """Rooms in which one player acts, and watchers. Made by `open`."""

    def __init__(self, url: str, player: Peer, rooms: list[str], watchers: list[Watcher]) -> None:
        self.rooms = rooms
        self.watchers = watchers
        self._url = url
        self._player = player
        self._turns = count()
        self._games = [long_game(seed, PLIES) for seed in range(len(rooms))]

    @classmethod
    async def open(cls, stack: AsyncExitStack, url: str, watchers: int, rooms: int = 1) -> Show:
        player = await stack.enter_async_context(await Peer.open(url, "Player"))
        names = []
        for _ in range(rooms):
            made = await player.do(Create, nonce=fresh_nonce(), game="loose", size=19, seat=0)
            assert made.room is not None
            await player.follow(made.room, seat=1, nonce=fresh_nonce())
            names.append(made.room)
        host, port = urlsplit(url).netloc.split(":")
        crowd: list[Watcher] = []
        for _ in range(watchers):
            watcher = Watcher(url, names)
            loop = asyncio.get_running_loop()
            await loop.create_connection(partial(_same, watcher), host, int(port))
            stack.callback(watcher.close)
            crowd.append(watcher)
        async with asyncio.timeout(BOUND):
            await asyncio.gather(*(watcher.joined for watcher in crowd))
        return cls(url, player, names, crowd)

    def stall(self) -> Raw:
        """Add a client that follows all rooms and reads nothing from now on."""
        raw = Raw(self._url, receive_buffer=4_096)
        raw.hello()
        for number, room in enumerate(self.rooms, 1):
            raw.send(id=number, type="join", room=room)
        return raw

    async def play(self, plies: int, rate: float) -> Latencies:
        """Play `plies` actions at `rate` a second, in the rooms by turns."""
        sent: list[float] = []
        begun = [len(watcher.times) for watcher in self.watchers]
        start = time.perf_counter()
        for ply, turn in zip(range(plies), self._turns, strict=False):
            await asyncio.sleep(start + ply / rate - time.perf_counter())
            number = turn % len(self.rooms)
            at = turn // len(self.rooms)
            sent.append(time.perf_counter())
            await self._player.act(self.rooms[number], at, self._games[number][at])
        async with asyncio.timeout(BOUND):
            for watcher, before in zip(self.watchers, begun, strict=True):
                while len(watcher.times) < before + plies:
                    assert not watcher.lost, "a watcher was closed"
                    await asyncio.sleep(0.01)
        pairs = (
            (then, now)
            for watcher, before in zip(self.watchers, begun, strict=True)
            for then, now in zip(sent, watcher.times[before:], strict=True)
        )
        return Latencies([now - then for then, now in pairs])
