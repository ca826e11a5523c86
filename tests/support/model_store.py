"""The store of tests that run nodes in their own process: the model of simulations. Tests look into
it, and damage it."""

from __future__ import annotations

import time
from collections.abc import Callable

import msgspec

from pierule_protocol.log.events import Entry
from pierule_server.store.buckets import (
    BUCKETS,
    cards_key,
    channel,
    clock_key,
    deadlines_key,
    finished_key,
    log_key,
    put_away_key,
    quarantine_key,
    secrets_key,
    seeks_key,
    unarchived_key,
)
from pierule_server.store.tables.naming import encode_names
from pierule_server.store.tables.pools import Seeker
from pierule_server.store.tables.reading import entry_of
from pierule_server.terms import Outage
from simulation.model.server import Session, Store
from simulation.model.values import SortedSet, Stream, written
from support.known_secrets import SECRETS


def milliseconds() -> int:
    return time.time_ns() // 1_000_000


BEGIN = 1_800_000_000_000
"""When a `HeldClock` begins."""


class HeldClock:
    """A clock that stands still until a test sets `now`."""

    def __init__(self) -> None:
        self.now = BEGIN

    def __call__(self) -> int:
        return self.now


_SCRIPTS: dict[bytes, None] = {}
"""All of these stores know what was loaded into any of them, because to load it takes time."""


class ModelStore(Store):
    """A store whose clock a test may hold, with a `HeldClock`: `now` gives milliseconds since
    1970."""

    commands = 0
    """How many commands all stores of this process have been given."""

    def __init__(self, now: Callable[[], int] = milliseconds) -> None:
        super().__init__(self._time)
        self.now = now
        self._told = 0
        self._known = _SCRIPTS
        for field, secret in SECRETS.items():
            self.run("HSET", secrets_key(), field, secret)

    def _time(self) -> int:
        """In microseconds. It goes on within a millisecond in which `now` stands."""
        began = self.now() * 1_000
        self._told = min(self._told + 1, began + 999) if self._told >= began else began
        return self._told

    def do(self, session: Session, command: list[bytes]) -> object:
        ModelStore.commands += 1
        return super().do(session, command)

    def run(self, *command: str | bytes | float) -> object:
        """The reply to one command, which no connection sends."""
        self.space.now = self.clock()
        name, *rest = (each if isinstance(each, bytes) else str(each).encode() for each in command)
        return self._script(name, rest) if name == b"EVAL" else self.space.run(name, *rest)

    @property
    def rooms(self) -> list[str]:
        """The rooms that have a log."""
        return [room for room in self._named(b"log:") if self.run("EXISTS", log_key(room))]

    def entries(self, room: str) -> list[Entry]:
        """A room's log."""
        log = self.space.find(log_key(room).encode(), Stream)
        if log is None:
            return []
        return [
            entry_of(room, written(place), fields)
            for place, fields in zip(log.ids, log.entries, strict=True)
        ]

    def write_log(self, room: str, entries: list[Entry]) -> None:
        """Replace a room's log, as no node could."""
        self.run("DEL", log_key(room))
        for entry in entries:
            names = ("names", encode_names(entry.names)) if entry.names else ()
            self.run(
                "XADD", log_key(room), f"{entry.seq}-0", "epoch", entry.epoch,
                "chain", entry.chain, "at", entry.at, "record", entry.record, *names,
            )  # fmt: skip

    @property
    def put_away(self) -> list[str]:
        """The rooms that were put away, until their retention ends."""
        return [room for room in self._named(b"arch:") if self.run("EXISTS", put_away_key(room))]

    @property
    def deadlines(self) -> dict[str, int]:
        """The deadline of each room that has one."""
        return {room: int(score) for room, score in self._scores(deadlines_key).items()}

    @property
    def idle(self) -> set[str]:
        """The rooms whose deadline is not on a clock (see `append.lua`)."""
        return {room for room, score in self._scores(deadlines_key).items() if score % 1}

    @property
    def finished(self) -> dict[str, float]:
        return self._scores(finished_key)

    @property
    def unarchived(self) -> dict[str, float]:
        return self._scores(unarchived_key)

    @property
    def cards(self) -> dict[str, bytes]:
        """What lists show of each room."""
        return {room: card for room, card in self._hash(cards_key).items() if room[-1] != "@"}

    @property
    def lost(self) -> dict[str, Outage]:
        """The time that rooms have lost and not got back yet."""
        return {
            room: Outage(*map(int, each.split())) for room, each in self._hash(clock_key).items()
        }

    @property
    def quarantined(self) -> set[str]:
        return set(self._hash(quarantine_key))

    @property
    def seekers(self) -> list[Seeker]:
        """Everybody whose seek waits (see `seek.lua`)."""
        seeks = self._hash(seeks_key).values()
        return [msgspec.json.decode(each.split(b" ", 3)[3], type=Seeker) for each in seeks]

    def beat(self, at: int) -> None:
        """Nodes have looked after all deadlines at this time."""
        for bucket in range(BUCKETS):
            if self.run("HEXISTS", clock_key(bucket), ""):
                self.run("HSET", clock_key(bucket), "", at)

    def hears(self, room: str) -> bool:
        """Whether any node is subscribed to a room."""
        return channel(room).encode() in self.subscribers

    def _named(self, kind: bytes) -> list[str]:
        """What keys of a kind are named after."""
        return [key.partition(kind)[2].decode() for key in self.space.values]

    def _scores(self, key: Callable[[int], str]) -> dict[str, float]:
        """The members of the sorted sets of all buckets, without the one that holds their place."""
        found = {}
        for bucket in range(BUCKETS):
            kept = self.space.find(key(bucket).encode(), SortedSet)
            if kept is not None:
                found.update(kept.scores)
        return {member.decode(): score for member, score in found.items() if member}

    def _hash(self, key: Callable[[int], str]) -> dict[str, bytes]:
        """The fields of the hashes of all buckets, without those that hold their place."""
        found: dict[bytes, bytes] = {}
        for bucket in range(BUCKETS):
            found.update(self.space.values.get(key(bucket).encode(), {}))
        return {field.decode(): value for field, value in found.items() if field}
