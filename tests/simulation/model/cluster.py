"""A cluster as its clients see it: members that serve slots, redirections, and slots that move. All
of them stand before one keyspace, so what is tried is who may ask whom."""

from __future__ import annotations

from typing import Any

from redis.crc import key_slot

from simulation.model.keyspace import COMMANDS, RefusedCommand


class Cluster:
    """`members` are addresses; `owners` who serves a slot, by number."""

    def __init__(self, members: list[tuple[str, int]], slots: list[int]) -> None:
        self.members = members
        self.owners = {slot: number % len(members) for number, slot in enumerate(slots)}
        self.migrating: dict[int, None] = {}
        """Slots of which half of the keys have moved: whoever needs several of them waits."""

    def check(self, door: int, name: bytes, args: list[bytes]) -> None:
        """Raises RefusedCommand where this member does not do it."""
        slots = {key_slot(key): None for key in _keys(name, args)}
        if len(slots) > 1:
            raise RefusedCommand("CROSSSLOT Keys in request don't hash to the same slot")
        for slot in slots:
            owner = self.owners.get(slot, 0)
            if owner != door:
                host, port = self.members[owner]
                raise RefusedCommand(f"MOVED {slot} {host}:{port}")
            if slot in self.migrating and name in (b"EVALSHA", b"EVAL"):
                raise RefusedCommand("TRYAGAIN Multiple keys request during rehashing of slot")

    def slots(self) -> list[Any]:
        return [
            [slot, slot, [self.members[owner][0].encode(), self.members[owner][1], b"id"]]
            for slot, owner in self.owners.items()
        ]


def slot_of(key: bytes) -> int:
    """The slot of a key, or of a channel."""
    slot: int = key_slot(key)
    return slot


def _keys(name: bytes, args: list[bytes]) -> list[bytes]:
    if name in (b"EVALSHA", b"EVAL"):
        return args[2 : 2 + int(args[1])]
    if name == b"SSUBSCRIBE":
        return args
    if name == b"SPUBLISH" or (name in COMMANDS and name not in (b"TIME", b"SCAN", b"DBSIZE")):
        return args[1:2] if name == b"XINFO" else args[:1]
    return []
