"""Commands on strings, keys of any kind, and the time."""

from __future__ import annotations

from fnmatch import fnmatchcase
from typing import Any

from simulation.model.keyspace import (
    OK,
    SYNTAX,
    WRONG_TYPE,
    Keyspace,
    RefusedCommand,
    Status,
    command,
    integer,
)
from simulation.model.values import SortedSet, Stream

KINDS = {bytes: b"string", dict: b"hash", SortedSet: b"zset", Stream: b"stream", list: b"list"}


@command("GET")
def get(space: Keyspace, key: bytes) -> bytes | None:
    return space.find(key, bytes)


@command("SET", grows=True)
def set_(space: Keyspace, key: bytes, value: bytes, *options: bytes) -> Any:
    rest = [option.upper() for option in options]
    end, before = None, None
    keep, only_new, only_old, tell = False, False, False, False
    while rest:
        option = rest.pop(0)
        if option in (b"PX", b"EX") and rest:
            end = space.ms + integer(rest.pop(0)) * (1 if option == b"PX" else 1_000)
        elif option == b"KEEPTTL":
            keep = True
        elif option == b"NX":
            only_new = True
        elif option == b"XX":
            only_old = True
        elif option == b"GET":
            tell = True
        else:
            raise RefusedCommand(SYNTAX)
    there = space.there(key)
    if tell:
        before = space.find(key, bytes)
    if (only_new and there) or (only_old and not there):
        return before
    kept = space.ends.get(key) if keep else None
    space.drop(key)
    space.values[key] = value
    if end is not None or kept is not None:
        space.ends[key] = end if end is not None else kept or 0
    return before if tell else OK


@command("DEL", writes=True)
def delete(space: Keyspace, *keys: bytes) -> int:
    return sum(space.there(key) and space.drop(key) for key in keys)


@command("UNLINK", writes=True)
def unlink(space: Keyspace, *keys: bytes) -> int:
    return sum(space.there(key) and space.drop(key) for key in keys)


@command("EXISTS")
def exists(space: Keyspace, *keys: bytes) -> int:
    return sum(map(space.there, keys))


@command("TYPE")
def type_(space: Keyspace, key: bytes) -> Status:
    return Status(KINDS[type(space.values[key])] if space.there(key) else b"none")


@command("RENAME", writes=True)
def rename(space: Keyspace, key: bytes, new: bytes) -> Status:
    if not space.there(key):
        raise RefusedCommand("ERR no such key")
    value, end = space.values[key], space.ends.get(key)
    space.drop(key)
    space.drop(new)
    space.values[new] = value
    if end is not None:
        space.ends[new] = end
    return OK


@command("PTTL")
def pttl(space: Keyspace, key: bytes) -> int:
    if not space.there(key):
        return -2
    return space.ends[key] - space.ms if key in space.ends else -1


@command("PEXPIRETIME")
def pexpiretime(space: Keyspace, key: bytes) -> int:
    return space.ends.get(key, -1) if space.there(key) else -2


@command("PEXPIRE", writes=True)
def pexpire(space: Keyspace, key: bytes, ms: bytes, how: bytes = b"") -> int:
    return _expire(space, key, space.ms + integer(ms), how.upper())


@command("PEXPIREAT", writes=True)
def pexpireat(space: Keyspace, key: bytes, ms: bytes, how: bytes = b"") -> int:
    return _expire(space, key, integer(ms), how.upper())


def _expire(space: Keyspace, key: bytes, end: int, how: bytes) -> int:
    if not space.there(key):
        return 0
    before = space.ends.get(key)
    if (how == b"XX" and before is None) or (how == b"NX" and before is not None):
        return 0
    if (how == b"GT" and (before is None or end <= before)) or (
        how == b"LT" and before is not None and end >= before
    ):
        return 0
    space.ends[key] = end
    space.there(key)
    return 1


@command("PERSIST", writes=True)
def persist(space: Keyspace, key: bytes) -> int:
    return int(space.there(key) and space.ends.pop(key, None) is not None)


@command("SCAN")
def scan(space: Keyspace, cursor: bytes, *options: bytes) -> list[Any]:
    """All keys at once, which Redis may do, too."""
    pattern = b"*"
    for name, value in zip(options[::2], options[1::2], strict=True):
        if name.upper() == b"MATCH":
            pattern = value
    like = pattern.decode("latin-1").replace("[", "[[]").replace("\\[[]", "[[]")
    return [b"0", [k for k in space.values if fnmatchcase(k.decode("latin-1"), like)]]


@command("DBSIZE")
def dbsize(space: Keyspace) -> int:
    return sum(map(space.there, list(space.values)))


@command("FLUSHALL", writes=True)
def flushall(space: Keyspace, *_: bytes) -> Status:
    space.values.clear()
    space.ends.clear()
    return OK


@command("TIME")
def time(space: Keyspace) -> list[bytes]:
    return [b"%d" % (space.now // 1_000_000), b"%d" % (space.now % 1_000_000)]


@command("SPUBLISH")
def spublish(space: Keyspace, channel: bytes, message: bytes) -> int:
    space.published.append((channel, message))
    return 0


@command("RPUSH", grows=True)
def rpush(space: Keyspace, key: bytes, *values: bytes) -> int:
    kept = space.made(key, list)
    kept += values
    return len(kept)


@command("LRANGE")
def lrange(space: Keyspace, key: bytes, first: bytes, last: bytes) -> list[bytes]:
    kept: list[bytes] = space.find(key, list) or []
    begin, end = places(first, last, len(kept))
    return kept[begin:end]


@command("SMEMBERS")
def smembers(space: Keyspace, key: bytes) -> list[bytes]:
    if space.there(key):  # the model keeps no sets
        raise RefusedCommand(WRONG_TYPE)
    return []


def places(first: bytes, last: bytes, size: int) -> tuple[int, int]:
    """From where to where, exclusive, by places that may count from the end."""
    begin, end = integer(first), integer(last)
    begin = max(0, begin + size) if begin < 0 else begin
    end = end + size if end < 0 else end
    return begin, max(begin, end + 1)
