"""Commands on streams."""

from __future__ import annotations

from typing import Any

from simulation.model.keyspace import OK, SYNTAX, Keyspace, RefusedCommand, Status, command, integer
from simulation.model.values import Stream, read_id, written

_SMALL = "ERR The ID specified in XADD is equal or smaller than the target stream top item"


@command("XADD", grows=True)
def xadd(space: Keyspace, key: bytes, *rest: bytes) -> bytes:
    args, most = list(rest), None
    if args[0].upper() == b"MAXLEN":
        del args[0]
        if args[0] in (b"~", b"="):
            del args[0]
        most = integer(args.pop(0))
    id_, fields = read_id(args[0], 0), args[1:]
    if not fields or len(fields) % 2:
        raise RefusedCommand("ERR wrong number of arguments for 'xadd' command")
    kept = space.find(key, Stream)
    if id_ <= (kept.last if kept is not None else (0, 0)):
        raise RefusedCommand(_SMALL)
    kept = space.made(key, Stream)
    kept.ids.append(id_)
    kept.entries.append(fields)
    kept.last = id_
    if most is not None:
        kept.trim(most)
    return written(id_)


@command("XTRIM", writes=True)
def xtrim(space: Keyspace, key: bytes, how: bytes, *rest: bytes) -> int:
    kept = space.find(key, Stream)
    return kept.trim(integer(rest[-1])) if kept is not None else 0


@command("XDEL", writes=True)
def xdel(space: Keyspace, key: bytes, *ids: bytes) -> int:
    kept, gone = space.find(key, Stream), 0
    for id_ in (read_id(text, 0) for text in ids):
        if kept is not None and id_ in kept.ids:
            place = kept.ids.index(id_)
            del kept.ids[place], kept.entries[place]
            gone += 1
    return gone


@command("XSETID", writes=True)
def xsetid(space: Keyspace, key: bytes, id_: bytes, *_: bytes) -> Status:
    kept = space.find(key, Stream)
    if kept is None:
        raise RefusedCommand("ERR no such key")
    kept.last = read_id(id_, 0)
    return OK


@command("XLEN")
def xlen(space: Keyspace, key: bytes) -> int:
    return len(space.find(key, Stream) or ())


@command("XRANGE")
def xrange_(space: Keyspace, key: bytes, low: bytes, high: bytes, *options: bytes) -> list[Any]:
    return _range(space, key, low, high, options, backward=False)


@command("XREVRANGE")
def xrevrange(space: Keyspace, key: bytes, high: bytes, low: bytes, *options: bytes) -> list[Any]:
    return _range(space, key, low, high, options, backward=True)


def _range(
    space: Keyspace, key: bytes, low: bytes, high: bytes, options: tuple[bytes, ...], *,
    backward: bool,
) -> list[Any]:  # fmt: skip
    kept = space.find(key, Stream)
    if options and (len(options) != 2 or options[0].upper() != b"COUNT"):
        raise RefusedCommand(SYNTAX)
    if kept is None:
        return []
    try:
        begin, end = kept.span(low, high)
    except ValueError:
        raise RefusedCommand("ERR Invalid stream ID specified as stream command argument") from None
    if options:
        most = integer(options[1])
        if backward:
            begin = max(begin, end - most)
        else:
            end = min(end, begin + most)
    found = [
        [written(id_), list(fields)]
        for id_, fields in zip(kept.ids[begin:end], kept.entries[begin:end], strict=True)
    ]
    return found[::-1] if backward else found


@command("XINFO")
def xinfo(space: Keyspace, what: bytes, key: bytes) -> list[Any]:
    kept = space.find(key, Stream)
    if kept is None:
        raise RefusedCommand("ERR no such key")
    return [b"length", len(kept), b"last-generated-id", written(kept.last), b"groups", 0]
