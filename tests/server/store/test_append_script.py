"""`append.lua`, called past all that guards it: it refuses what is wrong before it writes."""

from __future__ import annotations

import secrets
from typing import Any, cast
from zlib import crc32

import pytest
import redis

from pierule_protocol.log.events import chain, chain_record
from pierule_server.store.redis_room_log import APPEND
from support import stores


@pytest.fixture(params=["valkey", *stores.OTHERS])
def server(request: pytest.FixtureRequest) -> stores.Server:
    return cast("stores.Server", request.getfixturevalue(request.param))


KEYS = ("log", "rooms", "cards", "deadlines", "clock", "finished", "archive")


class Call:
    """A call of the script for a new room that would be right; changed, it is not."""

    def __init__(self) -> None:
        self.tag = secrets.token_hex(4)
        self.keys = [f"{{{self.tag}}}{name}" for name in KEYS]
        partial = chain_record(0, 1, 1, b"{}")
        self.arguments: list[Any] = ["ch", "room", 0, 0, 0, 1, partial, "{}", "card"]
        self.arguments += ["any", 2_000, "in", 60_000, "", "", ""]

    def run(self, server: stores.Server) -> Any:
        return server.command("EVAL", APPEND.text, len(self.keys), *self.keys, *self.arguments)


def test_the_append_script_makes_a_room(server: stores.Server) -> None:
    call = Call()
    epoch, seq, link, at = call.run(server)
    assert (epoch, seq, link) == (1, 1, chain(0, 1, 1, b"{}", at))
    assert server.command("ZSCORE", call.keys[1], "room") == b"%d" % at
    assert server.command("HGET", call.keys[2], "room") == b"card"
    assert call.run(server) is None


@pytest.mark.parametrize("at", [4_000_000_000_000, 2**52])
@pytest.mark.parametrize("partial", [0, 1, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF])
def test_the_chain_of_the_script_equals_the_fold(
    server: stores.Server, at: int, partial: int
) -> None:
    """The CRC in Lua, at the edges of 32 bits."""
    call = Call()
    place = ("epoch", 1, "chain", 7, "at", at, "record", "{}")
    server.command("XADD", call.keys[0], "1-0", *place)
    call.arguments[2:7] = [1, 1, 7, 1, partial]
    call.keys.pop()  # the archive: only to make a room
    assert call.run(server) == [1, 2, crc32(b"%d" % at, partial), at]


WRONG: list[tuple[int, Any]] = [
    *((index, value) for index in (2, 3, 4, 5, 6) for value in ("", "x", "-1", "1.5", "1e3", " 1")),
    *((index, 2**53) for index in (2, 3)),
    *((index, 2**32) for index in (4, 6)),
    (5, 2**53),
    (5, 0),  # an epoch gone by
    (0, ""),
    (1, ""),
    (7, ""),
    *((index, value) for index in (10, 12) for value in ("", "x", "-1", "1.5")),
    (9, "soon"),
    (11, "later"),
    *((13, value) for value in (2, "1", "1 x", " 1 2", "1 2 ")),
]


@pytest.mark.parametrize(("index", "value"), WRONG)
def test_a_wrong_argument_writes_nothing(server: stores.Server, index: int, value: Any) -> None:
    call = Call()
    call.arguments[index] = value
    with pytest.raises(redis.ResponseError, match="append"):
        call.run(server)
    assert server.command("EXISTS", *call.keys) == 0


@pytest.mark.parametrize("count", [0, 15, 17])
def test_a_wrong_number_of_arguments_writes_nothing(server: stores.Server, count: int) -> None:
    call = Call()
    call.arguments = [*call.arguments, "more"][:count]
    with pytest.raises(redis.ResponseError, match="append"):
        call.run(server)
    assert server.command("EXISTS", *call.keys) == 0


@pytest.mark.parametrize("number", range(6))
def test_a_key_of_the_wrong_type_writes_nothing(server: stores.Server, number: int) -> None:
    call = Call()
    server.command("SET", call.keys[number], "something else")
    with pytest.raises(redis.ResponseError, match=r"WRONGTYPE|wrong kind"):
        call.run(server)
    assert server.command("EXISTS", *call.keys) == 1


@pytest.mark.parametrize(("seq", "count"), [(0, 6), (1, 7), (1, 5), (0, 8)])
def test_only_making_a_room_takes_the_key_of_the_archive(
    server: stores.Server, seq: int, count: int
) -> None:
    call = Call()
    call.arguments[3] = seq
    call.keys = [*call.keys, "more"][:count]
    with pytest.raises(redis.ResponseError, match="keys"):
        call.run(server)


def test_a_room_that_ends_waits_for_the_archive(server: stores.Server) -> None:
    call = Call()
    call.arguments[11] = "none"
    with pytest.raises(redis.ResponseError, match="keys"):
        call.run(server)
    call.keys.append(f"{{{call.tag}}}unarchived")
    server.command("SET", call.keys[-1], "something else")
    with pytest.raises(redis.ResponseError, match=r"WRONGTYPE|wrong kind"):
        call.run(server)
    assert server.command("EXISTS", *call.keys) == 1
    server.command("DEL", call.keys[-1])
    *_, at = call.run(server)
    assert server.command("ZSCORE", call.keys[-1], "room") == b"%d" % at


def test_a_full_store_writes_nothing(server: stores.Server) -> None:
    call = Call()
    server.command("CONFIG", "SET", "maxmemory", "1")
    try:
        with pytest.raises(redis.ResponseError):
            call.run(server)
    finally:
        server.command("CONFIG", "SET", "maxmemory", "0")
    assert server.command("EXISTS", *call.keys) == 0
