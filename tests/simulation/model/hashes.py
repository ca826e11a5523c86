"""Commands on hashes."""

from __future__ import annotations

from itertools import chain
from typing import Any

from simulation.model.keyspace import Keyspace, RefusedCommand, command, integer

_PAIRS = "ERR wrong number of arguments for 'hset' command"


@command("HGET")
def hget(space: Keyspace, key: bytes, name: bytes) -> bytes | None:
    found = space.find(key, dict)
    return None if found is None else found.get(name)


@command("HMGET")
def hmget(space: Keyspace, key: bytes, *names: bytes) -> list[bytes | None]:
    found = space.find(key, dict) or {}
    return [found.get(name) for name in names]


@command("HGETALL")
def hgetall(space: Keyspace, key: bytes) -> list[bytes]:
    return list(chain.from_iterable((space.find(key, dict) or {}).items()))


@command("HKEYS")
def hkeys(space: Keyspace, key: bytes) -> list[bytes]:
    return list(space.find(key, dict) or {})


@command("HVALS")
def hvals(space: Keyspace, key: bytes) -> list[bytes]:
    return list((space.find(key, dict) or {}).values())


@command("HLEN")
def hlen(space: Keyspace, key: bytes) -> int:
    return len(space.find(key, dict) or ())


@command("HEXISTS")
def hexists(space: Keyspace, key: bytes, name: bytes) -> int:
    return int(name in (space.find(key, dict) or ()))


@command("HSET", grows=True)
def hset(space: Keyspace, key: bytes, *pairs: bytes) -> int:
    if not pairs or len(pairs) % 2:
        raise RefusedCommand(_PAIRS)
    kept = space.made(key, dict)
    before = len(kept)
    kept.update(zip(pairs[::2], pairs[1::2], strict=True))
    return len(kept) - before


@command("HSETNX", grows=True)
def hsetnx(space: Keyspace, key: bytes, name: bytes, value: bytes) -> int:
    kept = space.made(key, dict)
    if name in kept:
        return 0
    kept[name] = value
    return 1


@command("HINCRBY", grows=True)
def hincrby(space: Keyspace, key: bytes, name: bytes, by: bytes) -> int:
    kept = space.made(key, dict)
    value = integer(kept.get(name, b"0")) + integer(by)
    kept[name] = b"%d" % value
    return value


@command("HDEL", writes=True)
def hdel(space: Keyspace, key: bytes, *names: bytes) -> int:
    kept = space.find(key, dict)
    if kept is None:
        return 0
    gone = sum(kept.pop(name, None) is not None for name in names)
    space.drop_if_empty(key, kept)
    return gone


@command("HRANDFIELD")
def hrandfield(space: Keyspace, key: bytes, count: bytes) -> list[bytes]:
    """The first ones: chance would have to come from somewhere."""
    return list(space.find(key, dict) or {})[: integer(count)]


@command("HSCAN")
def hscan(space: Keyspace, key: bytes, cursor: bytes, *options: bytes) -> list[Any]:
    """All at once, which Redis may do, too."""
    return [b"0", hgetall(space, key)]
