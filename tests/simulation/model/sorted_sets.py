"""Commands on sorted sets."""

from __future__ import annotations

from simulation.model.keyspace import SYNTAX, Keyspace, RefusedCommand, command, integer
from simulation.model.strings import places
from simulation.model.values import SortedSet, digits

_FLOAT = "ERR value is not a valid float"


def _score(text: bytes) -> float:
    try:
        return float(text)
    except ValueError:
        raise RefusedCommand(_FLOAT) from None


def _order(space: Keyspace, key: bytes) -> list[tuple[float, bytes]]:
    found = space.find(key, SortedSet)
    return found.order if found is not None else []


@command("ZCARD")
def zcard(space: Keyspace, key: bytes) -> int:
    return len(_order(space, key))


@command("ZSCORE")
def zscore(space: Keyspace, key: bytes, member: bytes) -> bytes | None:
    return zmscore(space, key, member)[0]


@command("ZMSCORE")
def zmscore(space: Keyspace, key: bytes, *members: bytes) -> list[bytes | None]:
    found = space.find(key, SortedSet)
    scores = found.scores if found is not None else {}
    return [digits(scores[member]) if member in scores else None for member in members]


@command("ZADD", grows=True)
def zadd(space: Keyspace, key: bytes, *rest: bytes) -> int:
    options, pairs = set[bytes](), list(rest)
    while pairs and pairs[0].upper() in (b"GT", b"LT", b"NX", b"XX", b"CH"):
        options.add(pairs.pop(0).upper())
    if not pairs or len(pairs) % 2:
        raise RefusedCommand(SYNTAX)
    scores = [_score(text) for text in pairs[::2]]
    kept = space.made(key, SortedSet)
    told = 0
    for score, member in zip(scores, pairs[1::2], strict=True):
        before = kept.scores.get(member)
        if before is not None and (
            b"NX" in options
            or (b"GT" in options and score <= before)
            or (b"LT" in options and score >= before)
        ):
            continue
        if before is None and b"XX" in options:
            continue
        added = kept.put(member, score)
        told += added or (b"CH" in options and before != score)
    space.drop_if_empty(key, kept)
    return told


@command("ZREM", writes=True)
def zrem(space: Keyspace, key: bytes, *members: bytes) -> int:
    kept = space.find(key, SortedSet)
    if kept is None:
        return 0
    gone = sum(map(kept.drop, members))
    space.drop_if_empty(key, kept)
    return gone


@command("ZREMRANGEBYSCORE", writes=True)
def zremrangebyscore(space: Keyspace, key: bytes, low: bytes, high: bytes) -> int:
    kept = space.find(key, SortedSet)
    if kept is None:
        return 0
    begin, end = kept.span(low, high)
    for _, member in kept.order[begin:end]:
        kept.drop(member)
    space.drop_if_empty(key, kept)
    return end - begin


@command("ZRANGE")
def zrange(space: Keyspace, key: bytes, first: bytes, last: bytes, *options: bytes) -> list[bytes]:
    order = _order(space, key)
    rest = [option.upper() for option in options]
    if rest[:1] == [b"REV"]:
        order, rest = order[::-1], rest[1:]
    if rest not in ([], [b"WITHSCORES"]):
        raise RefusedCommand(SYNTAX)
    begin, end = places(first, last, len(order))
    return _told(order[begin:end], scores=bool(rest))


@command("ZREVRANGE")
def zrevrange(
    space: Keyspace, key: bytes, first: bytes, last: bytes, *options: bytes
) -> list[bytes]:
    return zrange(space, key, first, last, b"REV", *options)


@command("ZRANGEBYSCORE")
def zrangebyscore(
    space: Keyspace, key: bytes, low: bytes, high: bytes, *options: bytes
) -> list[bytes]:
    return _by_score(space, key, low, high, options, backward=False)


@command("ZREVRANGEBYSCORE")
def zrevrangebyscore(
    space: Keyspace, key: bytes, high: bytes, low: bytes, *options: bytes
) -> list[bytes]:
    return _by_score(space, key, low, high, options, backward=True)


def _by_score(
    space: Keyspace, key: bytes, low: bytes, high: bytes, options: tuple[bytes, ...], *,
    backward: bool,
) -> list[bytes]:  # fmt: skip
    found = space.find(key, SortedSet)
    if found is None:
        return []
    try:
        begin, end = found.span(low, high)
    except ValueError:
        raise RefusedCommand("ERR min or max is not a float") from None
    part = found.order[begin:end]
    if backward:
        part.reverse()
    rest, scores = list(options), False
    while rest:
        option = rest.pop(0).upper()
        if option == b"WITHSCORES":
            scores = True
        elif option == b"LIMIT" and len(rest) >= 2:
            skipped, most = integer(rest.pop(0)), integer(rest.pop(0))
            part = part[skipped:] if most < 0 else part[skipped : skipped + most]
        else:
            raise RefusedCommand(SYNTAX)
    return _told(part, scores=scores)


def _told(part: list[tuple[float, bytes]], *, scores: bool) -> list[bytes]:
    if not scores:
        return [member for _, member in part]
    return [each for score, member in part for each in (member, digits(score))]
