"""Everybody except the tables: people who seek, challenge, play, agree, claim, chat, block and
watch as in `social`; a user with a webhook; and an operator."""

from __future__ import annotations

import asyncio
import hmac
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing, asynccontextmanager, suppress
from functools import partial
from random import Random
from typing import TypeVar

import pierule
from chaos.journal import Journal, writing
from chaos.players import PATIENCE, arrive, choose, insist
from pierule_protocol.log.controls import Correspondence
from pierule_server.operations.admin.service import AdminService, opened
from pierule_server.rooms.decisions.decide import Refused
from pierule_server.store.room_log import StoreUnavailable, StoreUnusable
from social.crowd import Crowd
from social.people import POOLS, TIMEOUT, Person

T = TypeVar("T")

RECEIVER = "10.3.0.1"
FULL = 0.3
"""Seconds after which they ask again if the store was full."""
CALLED = 180.0
"""Seconds in which somebody who is away must be called: 5 until it is tried, then 30 and 120 if the
node dies that tries it, and if the receiver refuses."""


class Neighbor(Person):
    """A person whom no fault drives away: a visit that it spoils ends, and there is another one."""

    bears = (pierule.TimedOut, pierule.Refused, pierule.ConnectionLost)
    pools = POOLS[:3]  # so that few people find each other
    seeks = (0, 0, 1, 2)
    _client: pierule.Client | None = None
    _ending: asyncio.Task[None] | None = None

    def break_off(self) -> None:
        """Leave at once, whatever has been begun; they may come back."""
        if self._client is not None:
            self._ending = asyncio.create_task(self._client._session.close())

    async def _visit(self, client: pierule.Client) -> bool:
        self._client = client
        if self._rng.random() < 0.5 and self._name == self._journal.name:
            self._name = f"neighbor-{self._name}"
            await insist(lambda: client.register(self._name))
        return await super()._visit(client)


class Absentee:
    """Two who play a slow game. One of them goes away after each action, until the receiver of
    their webhook is called. `lost` counts how often the call may have been lost."""

    def __init__(self, crowd: Crowd, lost: Callable[[], int]) -> None:
        self._crowd = crowd
        self._lost = lost
        self._rng = Random(f"{crowd.seed} absentee")
        self._tokens: dict[str, str] = {}
        self._journals = {name: Journal(name) for name in ("stays", "goes")}
        self._secret = ""
        self._rung = asyncio.Event()
        self._called = -1
        """The latest turn about which somebody was called, perhaps before its beginning was
        answered."""
        self._refused = False
        self.calls = 0
        crowd.journals += self._journals.values()

    async def listen(self) -> None:
        """Take calls, until cancelled."""
        server = await asyncio.start_server(self._take, RECEIVER, 80)
        try:
            await asyncio.Event().wait()
        finally:
            server.close()

    async def _take(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError, EOFError):
            head = (await reader.readuntil(b"\r\n\r\n")).decode()
            lines = dict(line.split(": ", 1) for line in head.split("\r\n")[1:] if line)
            body = await reader.readexactly(int(lines["Content-Length"]))
            stamp = lines["Pierule-Timestamp"].encode()
            proof = hmac.new(self._secret.encode(), stamp + b"." + body, "sha256").hexdigest()
            if proof != lines["Pierule-Signature"]:
                self._crowd.failures.append("a webhook's call is not signed as it was promised")
            self.calls += 1
            fine = self._refused or self._rng.random() < 0.8
            self._refused = not fine
            writer.write(b"HTTP/1.1 %d told\r\n\r\n" % (204 if fine else 503))
            if fine:
                self._called = json.loads(body)["turn"]
                self._rung.set()
        writer.close()

    async def live(self) -> None:
        """Play until it is time to close."""
        async with self._here("stays") as stays:
            async with self._here("goes") as goes:
                await persist(lambda: goes.register("goes"))
                secret = await persist(lambda: goes.set_webhook(f"http://{RECEIVER}/called"))
                self._secret = secret or ""
                create = stays.create
                room = await persist(
                    lambda: create("loose", 5, 0, Correspondence(days=1), access="unlisted")
                )
                await persist(lambda: goes.join(room.id, 1))
            while not self._crowd.closing.is_set() and not room.over:
                await self._turn(room)
            await insist(room.resign) if not room.over else None

    async def _turn(self, room: pierule.Room) -> None:
        """Act for whoever is to act; whoever goes comes only if called."""
        lost = self._lost()
        if room.my_turn:
            await self._act(room)
        if room.my_turn or room.to_act is None:
            await self._crowd.idle(self._rng, 0.1)
        else:
            try:
                async with asyncio.timeout(CALLED):
                    while self._called < room.state.turn:
                        self._rung.clear()
                        await self._rung.wait()
            except TimeoutError:
                if self._lost() == lost:
                    self._crowd.failures.append(f"nobody was called about {room.id}")
            async with self._here("goes") as goes:
                mine = await insist(lambda: goes.join(room.id))
                await self._act(mine)
                turn = mine.state.turn
            while room.state.turn < turn and not room.over:  # noqa: ASYNC110 - in no time
                await asyncio.sleep(0.1)

    async def _act(self, room: pierule.Room) -> None:
        while room.my_turn and not room.over:
            action = choose(room.position, self._rng)
            if action is not None:
                with suppress(pierule.Refused, pierule.TimedOut):
                    await room.act(action)

    @asynccontextmanager
    async def _here(self, name: str) -> AsyncIterator[pierule.Client]:
        connect = partial(
            pierule.connect, list(self._crowd.urls), name=name, token=self._tokens.get(name),
            timeout=TIMEOUT, patience=PATIENCE,
        )  # fmt: skip
        with writing(self._journals[name]):
            opened, client = await arrive(connect)
        self._tokens[name] = client.token
        try:
            yield client
        finally:
            self._tokens[name] = client.token
            await opened.__aexit__(None, None, None)


async def persist(ask: Callable[[], Awaitable[T]]) -> T:
    """Ask until there is an answer, also if the store is full for a while."""
    while True:
        try:
            return await insist(ask)
        except pierule.Refused as refused:
            if refused.code != "full":
                raise
        await asyncio.sleep(FULL)


async def look_on(crowd: Crowd, number: int) -> None:
    """Watch the lobby, and ask for it anew now and then, until cancelled."""
    rng = Random(f"{crowd.seed} onlooker {number}")
    journal = Journal(f"onlooker{number}")
    crowd.journals.append(journal)
    while True:
        urls = list(crowd.urls)
        rng.shuffle(urls)
        with writing(journal), suppress(*Neighbor.bears):
            async with pierule.connect(urls, name=journal.name, timeout=TIMEOUT) as client:
                while True:
                    with suppress(TimeoutError):
                        async with asyncio.timeout(rng.uniform(0.3, 3.0)):
                            async with aclosing(client.lobby()) as it:  # type: ignore[type-var]
                                async for _ in it:
                                    pass
        await asyncio.sleep(0.5)


async def operate(crowd: Crowd, store: str) -> None:
    """Look after the server until cancelled, as an operator would with `pierule admin`."""
    rng = Random(f"{crowd.seed} operator")
    while True:
        await asyncio.sleep(rng.uniform(0.5, 4.0))
        with suppress(Refused, StoreUnavailable, StoreUnusable, TimeoutError):
            async with asyncio.timeout(10), opened(store, "operator") as service:
                await _one(service, rng)


async def _one(service: AdminService, rng: Random) -> None:
    listed = await service.list_rooms(20)
    named = [str(row["room"]) for row in listed]
    match rng.randrange(7):
        case 0 if named:
            await service.close_room(rng.choice(named), "it is late")
        case 1 if named:
            await service.show_room(rng.choice(named))
        case 2:
            await service.announce("soon it is night", 60)
        case 3:
            await service.ban("nobody-0123", 60, "they are not here")
            await service.unban("nobody-0123", "they never were")
        case 4:
            await service.rotate_secret("it is old")
        case 5:
            await service.list_reports()
            await service.list_bans()
        case _:
            await service.audit(10)
