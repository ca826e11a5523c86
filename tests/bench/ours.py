"""Pierule among its peers: the real `pierule serve`, with real games.

Nothing is left out: rules, typed decoding, a log that is forced to disk, the store's script and
subscription, digest, chain, limits that are counted but lifted, metrics. `check` asserts it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Iterator
from itertools import count, cycle, zip_longest
from pathlib import Path
from urllib.parse import urlsplit

import msgspec
import redis

from bench.lean import UNLIMITED, Lean, fresh_nonce
from bench.load import Marker, Member, Plan, Step, frame, handshake
from bench.machine import Machine, move
from bench.peer import Audience
from pierule_protocol.messages import Create, Join
from support.games import Game, games
from support.serving import Serving
from support.stores import Server

KINDS = (("loose", 9), ("veletas", 7), ("taugo", 8))
LIFTED = (
    *("connection_rate", "user_rate", "address_budget", "user_budget"),
    *("connections_per_user", "rooms_per_user"),
)
SUBPROTOCOL = "pierule.1.msgpack"
KEYS = {"PIERULE_KEYS": "bench:0123456789abcdef0123456789abcdef"}
SETTERS = 16
"""Tables that are prepared at once."""

READY = Marker(b"\xa4type\xa8snapshot", 1)
EVENT = Marker(b"\xa4type\xa5event", 1)
ERROR = Marker(b"\xa4type\xa5error", 1)


def say(kind: str, number: int, **fields: object) -> bytes:
    """The frame of a request."""
    return frame(msgspec.msgpack.encode({"type": kind, "id": number, **fields}))


class Table:
    """The users in the two seats (possibly the same one), and the rooms in which they play one
    after the other, with the game of each."""

    def __init__(self, tokens: tuple[str, str]) -> None:
        self.tokens = tokens
        self.rooms: list[tuple[str, Game]] = []

    @classmethod
    async def lay(
        cls, url: str, users: int, choice: Iterator[Game], steps: int,
        home: Callable[[str], int] = lambda _room: 0,
    ) -> Table:  # fmt: skip
        """Make rooms for this many steps, with both seats taken and nothing played. All have the
        same home: others are left alone."""
        people = [await Lean.open(url) for _ in range(users)]
        table = cls((people[0].welcome.token, people[-1].welcome.token))
        for game in choice:
            while True:
                made = await people[0].ask(
                    Create, nonce=fresh_nonce(), game=game.game, size=game.size, seat=0
                )
                assert made.room is not None
                if not table.rooms or home(made.room) == home(table.rooms[0][0]):
                    break
            await people[-1].ask(Join, room=made.room, seat=1, nonce=fresh_nonce())
            table.rooms.append((made.room, game))
            steps -= game.turns
            if steps <= 0:
                break
        for each in people:
            await each.close()
        return table

    def acts(self) -> Iterator[tuple[int, bytes]]:
        """Every action of every game: its seat and its frame."""
        ids = count(1_000)
        for room, game in self.rooms:
            for turn, action in enumerate(game.actions):
                seat = game.positions[turn].to_act
                assert seat is not None
                yield seat, say("act", next(ids), room=room, turn=turn, action=action)


class Pierule:
    """One node or several, over the embedded store or others."""

    name = "pierule"
    kinds = KINDS

    def __init__(
        self, nodes: int = 1, stores: list[Server] | None = None, store_core: str = "server",
        flags: tuple[str, ...] = (),
    ) -> None:  # fmt: skip
        self.title = "**Pierule**"
        self.settings = ""
        self.nodes: list[Serving] = []
        self._number, self._stores, self._store_core = nodes, stores or [], store_core
        self._flags = flags
        self.environment = KEYS if stores else {}

    def start(self, machine: Machine, folder: Path) -> None:
        store = self._stores[0].url if self._stores else None
        for number in range(self._number):
            place = folder / f"node{number}"
            place.mkdir(parents=True)
            flags = (*UNLIMITED, *self._flags)
            node = Serving(place, *flags, store=store, environment=self.environment)
            self.nodes.append(node)
            with machine.on(machine.server_core):
                node.start()
        core = machine.load_core if self._store_core == "load" else machine.server_core
        for pid in self.store_pids:
            move(pid, core)
        self.settings = (
            f"nodes: {self._number}, fsync always, msgpack, these limits lifted: "
            f"{', '.join(LIFTED)}; else its defaults; the store on the {self._store_core}'s core"
        )

    def stop(self) -> None:
        for node in self.nodes:
            node.clear()
        self.nodes.clear()

    @property
    def pids(self) -> list[int]:
        return [node.process.pid for node in self.nodes if node.process is not None]

    @property
    def store_pids(self) -> list[int]:
        if self._stores:
            return [each.process.pid for each in self._stores if each.process is not None]
        return [self.nodes[0].store_pid()]

    @property
    def store_urls(self) -> list[str]:
        return [each.url for each in self._stores] or [self.nodes[0].store_url]

    def check(self) -> None:
        """Check, with the store and the nodes, that the measured settings are the promised ones."""
        for url in self.store_urls:
            with redis.Redis.from_url(url, decode_responses=True) as store:
                kept = store.config_get("append*")
                assert (kept["appendonly"], kept["appendfsync"]) == ("yes", "always"), kept
        for node in self.nodes:
            asyncio.run(_check_limits(node.url))
            _, metrics = node.asked("/metrics")  # of each worker, if there are several
            reach = re.findall(r"^pierule_store_reachable\S* (.+)$", metrics, re.MULTILINE)
            assert set(reach) == {"1.0"}, reach

    def plan(self, audience: Audience) -> Plan:
        return asyncio.run(self._plan(audience))

    async def _plan(self, audience: Audience) -> Plan:
        if audience.rooms == 1:
            return self._watched(audience, await self._lay_lanes(audience))
        return self._played(await self._lay_tables(audience))

    async def _lay_lanes(self, audience: Audience) -> list[Table]:
        """A table for each actor, who holds both its seats."""
        long = cycle(chosen(KINDS[:1]))
        steps = -(-audience.steps // audience.actors)
        return [await Table.lay(self.nodes[0].url, 1, long, steps) for _ in range(audience.actors)]

    async def _lay_tables(self, audience: Audience) -> list[Table]:
        kinds = chosen(self.kinds)
        starts = iter(range(audience.rooms))
        found: dict[int, Table] = {}

        async def some() -> None:
            for number in starts:
                choice = cycle(kinds[number % len(kinds) :] + kinds[: number % len(kinds)])
                url = self.nodes[number % self._number].url
                found[number] = await Table.lay(url, 2, choice, audience.steps, self.home)

        await asyncio.gather(*(some() for _ in range(SETTERS)))
        return [found[number] for number in range(audience.rooms)]

    def _watched(self, audience: Audience, lanes: list[Table]) -> Plan:
        """All members follow all rooms of all lanes; a lane's owner acts in it."""
        rooms = [room for lane in lanes for room, _ in lane.rooms]
        members = [
            self._member(0, number, lanes[number].tokens[0] if number < len(lanes) else None, rooms)
            for number in range(audience.members)
        ]
        turns = zip_longest(*(lane.acts() for lane in lanes))
        steps = [(lane, act[1]) for acts in turns for lane, act in enumerate(acts) if act]
        return Plan(READY, EVENT, members, [steps], ERROR)

    def _played(self, tables: list[Table]) -> Plan:
        """Two members at each table; with several nodes they sit at different ones."""
        members: list[Member] = []
        steps: list[list[Step]] = []
        for number, table in enumerate(tables):
            rooms = [room for room, _ in table.rooms]
            first = len(members)
            members += [
                self._member(number, number + seat, table.tokens[seat], rooms) for seat in (0, 1)
            ]
            steps.append([(first + seat, act) for seat, act in table.acts()])
        return Plan(READY, EVENT, members, steps, ERROR)

    def _member(self, group: int, number: int, token: str | None, rooms: list[str]) -> Member:
        url = urlsplit(self.nodes[number % self._number].url)
        assert url.port is not None
        prologue = [say("hello", 0) if token is None else say("hello", 0, token=token)]
        prologue += [say("join", each, room=room) for each, room in enumerate(rooms, 1)]
        path = url.path + self.hint(rooms[0])
        return Member(group, url.port, handshake(path, SUBPROTOCOL), prologue, len(rooms))

    def home(self, _room: str) -> int:
        """The worker at which the players of a room should meet."""
        return 0

    def hint(self, _room: str) -> str:
        """What the players of a room add to the path."""
        return ""


async def _check_limits(url: str) -> None:
    lean = await Lean.open(url)
    assert all(getattr(lean.welcome.limits, each) == 0 for each in LIFTED), lean.welcome.limits
    await lean.close()


def chosen(kinds: tuple[tuple[str, int], ...]) -> list[Game]:
    """The reference games of these kinds, one kind after the other in turn."""
    of = [[game for game in games() if (game.game, game.size) == kind] for kind in kinds]
    return [game for several in zip(*of, strict=True) for game in several]
