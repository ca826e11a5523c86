"""SPEC 1.2, 2.2 and the first codes of 7: frames that are not messages, and what a message must not
contain."""

from __future__ import annotations

import math
from typing import Any

from websockets.frames import Opcode

from pierule_conform.checks.context import CheckContext
from pierule_conform.checks.peer import nonce
from pierule_conform.checks.registry import check, expect
from pierule_protocol.packing import pack

GARBAGE: dict[str, list[bytes]] = {
    "json": [b"", b"{", b"nonsense", b'{"type":"ping","id":1', b'"a"', b"[]", b"7", b"[" * 3000],
    "msgpack": [b"", b"\xc1", b"\x82\xa4type", b"\x90", b"\x07", b"\xa1", b"\x91" * 3000],
}


@check("2.8", "a frame that is not a message is malformed, and the next frame is read",
       codes=("malformed",), also=("7",))  # fmt: skip
async def garbage_refused(context: CheckContext) -> None:
    few = max(1, context.limit("errors") - 1)
    for data in GARBAGE[context.codec][:few]:
        peer = await context.peer()
        answer = await peer.frame(data)
        known = answer.get("code") in ("malformed", "bad_field")
        expect(known and answer.get("id") is None, "error malformed without an id", answer, data)
        await peer.ok("ping")
        await peer.close()


@check(
    "7", "after too many frames that are not messages, the connection is closed", codes=("4003",)
)
async def garbage_bounded(context: CheckContext) -> None:
    peer = await context.peer()
    most = context.limit("errors")
    for _ in range(most - 1):
        await peer.frame(b"\xc1" if context.codec == "msgpack" else b"{")
    await peer.ok("ping")
    await peer.connection.raw(b"\xc1" if context.codec == "msgpack" else b"{")
    await peer.until_closed(4003)


@check("7", "a frame of the other codec's kind closes the connection", codes=("1003",))
async def wrong_kind_of_frame(context: CheckContext) -> None:
    peer = await context.peer()
    peer.last_sent = "a binary frame" if context.codec == "json" else "a text frame"
    await peer.connection.raw(b'{"type":"ping","id":1}', text=context.codec == "msgpack")
    await peer.until_closed(1003)


@check("7", "a text frame that is not UTF-8 closes the connection", codecs=1, codes=("1007",))
async def text_not_utf8(context: CheckContext) -> None:
    peer = await context.peer("json")
    peer.last_sent = b"\xff\xfe"
    await peer.connection.frame(b"\xff\xfe", Opcode.TEXT)
    await peer.until_closed(1007)


@check("7", "a frame that WebSocket does not know closes the connection", codecs=1, codes=("1002",))
async def not_websocket(context: CheckContext) -> None:
    peer = await context.peer()
    peer.last_sent = "a continuation of nothing"
    await peer.connection.frame(b"x", Opcode.CONT)
    await peer.until_closed(1002)


@check("7", "an unknown type is refused, with the id", codes=("unknown_type",))
async def unknown_type(context: CheckContext) -> None:
    peer = await context.peer()
    for type_ in ("nonsense", "", "Ping", "ok", "welcome"):
        answer = await peer.raw({"type": type_, "id": 11})
        peer.expect_code(answer, "unknown_type")
        expect(answer.get("id") == 11, "id 11", answer, peer.last_sent)


@check("2.2", "a wrong field is refused and named",
       codes=("bad_field",), also=("10.2",))  # fmt: skip
async def fields_checked(context: CheckContext) -> None:
    bad: list[tuple[str, dict[str, Any]]] = [
        ("hurry", {"type": "ping", "hurry": True}),
        ("room", {"type": "join"}),
        ("room", {"type": "join", "room": 7}),
        ("room", {"type": "join", "room": "ABC"}),
        ("room", {"type": "join", "room": "abc\n"}),
        ("room", {"type": "join", "room": "a" * 33}),
        ("room", {"type": "join", "room": ""}),
        ("seat", {"type": "join", "room": "abc", "seat": 2, "nonce": "n"}),
        ("seat", {"type": "join", "room": "abc", "seat": "all", "nonce": "n"}),
        ("turn", {"type": "act", "room": "abc", "turn": -1, "action": "e5"}),
        ("turn", {"type": "act", "room": "abc", "turn": "1", "action": "e5"}),
        ("action", {"type": "act", "room": "abc", "turn": 1, "action": "e" * 65}),
        ("limit", {"type": "rooms", "limit": 0}),
        ("limit", {"type": "rooms", "limit": 101}),
        ("first", {"type": "log", "room": "abc", "first": 0}),
        ("nonce", {"type": "create", "game": "loose"}),
        ("nonce", {"type": "create", "game": "loose", "nonce": "a b"}),
        ("nonce", {"type": "create", "game": "loose", "nonce": "n" * 41}),
        ("nonce", {"type": "resign", "room": "abc", "nonce": ""}),
        ("game", {"type": "create", "nonce": "n", "game": "no-such-game"}),
        ("size", {"type": "create", "nonce": "n", "game": "loose", "size": 0}),
        ("since", {"type": "join", "room": "abc", "since": 5}),
    ]
    few = max(1, context.limit("errors") - 1)
    peer = await context.peer()
    for number, (field, message) in enumerate(bad, 1):
        if number % few == 0:
            peer = await context.peer()
        answer = await peer.raw({**message, "id": number})
        peer.expect_code(answer, "bad_field")
        named = answer.get("field")
        expect(answer.get("id") == number, f"id {number}", answer, peer.last_sent)
        expect(isinstance(named, str) and named.split(".")[0] == field, f"field {field}", answer,
               peer.last_sent)  # fmt: skip


@check("2.2", "an unknown field within a field is refused, too", codes=("bad_field",))
async def inner_fields_checked(context: CheckContext) -> None:
    peer = await context.peer()
    since = {"epoch": 1, "seq": 1, "chain": 1, "extra": 1}
    await peer.refused("bad_field", "join", room="abc", since=since)
    since = {"epoch": 1, "seq": -1, "chain": 1}
    await peer.refused("bad_field", "join", room="abc", since=since)
    await peer.refused("bad_field", "join", room="abc", since={"epoch": 1, "seq": 1})
    long = {"epoch": 1, "seq": 1, "chain": 1, "proof": "x" * 65}
    await peer.refused("bad_field", "join", room="abc", since=long)


@check("1.2", "neither a float nor NaN is accepted as an integer")
async def floats_refused(context: CheckContext) -> None:
    peer = await context.peer()
    for value in (1.5, 1e300, *([math.nan, math.inf] if context.codec == "msgpack" else [])):
        answer = await peer.raw({"type": "rooms", "id": 5, "limit": value})
        peer.expect_code(answer, "bad_field", f"limit {value}")
    if context.codec == "json":
        answer = await peer.frame(b'{"type":"rooms","id":5,"limit":NaN}')
        peer.expect_code(answer, "malformed")


@check("1.2", "the last of duplicate keys wins")
async def duplicate_keys(context: CheckContext) -> None:
    peer = await context.peer()
    if context.codec == "json":
        data = b'{"type":"rooms","id":77,"limit":2,"limit":1,"id":78}'
    else:
        pairs = [("type", "rooms"), ("id", 77), ("limit", 2), ("limit", 1), ("id", 78)]
        parts = [pack(part) for pair in pairs for part in pair]
        data = bytes([0x80 | len(pairs)]) + b"".join(parts)
    peer.expects(78, {"type": "rooms", "id": 78})
    answer = await peer.frame(data)
    expect(answer["type"] == "ok" and answer.get("id") == 78, "ok with id 78", answer, data)


@check("1.2", "a message with two different types is refused")
async def two_types(context: CheckContext) -> None:
    peer = await context.peer()
    if context.codec == "json":
        data = b'{"type":"rooms","id":77,"type":"ping"}'
    else:
        pairs = [("type", "rooms"), ("id", 77), ("type", "ping")]
        parts = [pack(part) for pair in pairs for part in pair]
        data = bytes([0x80 | len(pairs)]) + b"".join(parts)
    peer.expects(77, {"type": "ping", "id": 77})
    answer = await peer.frame(data)
    expect(answer["type"] == "error", "an error", answer, data)


@check("1.14", "bin and ext are refused, even if empty, and so is a map of 65 keys")
async def msgpack_bounded(context: CheckContext) -> None:
    if context.codec == "json":
        return
    ping = b"\x83" + b"".join(pack(part) for part in ("type", "ping", "id", 9, "x"))
    wide = (
        b"\xde\x00\x41" + ping[1:] + pack(1) + b"".join(pack(f"k{n}") + b"\x01" for n in range(62))
    )
    for data in (ping + b"\xc4\x00", ping + b"\xc7\x00\x05", ping + b"\xc7\x00\xff", wide):
        peer = await context.peer()
        peer.expects(9, {"type": "ping", "id": 9})
        answer = await peer.frame(data)
        refused = answer.get("code") in ("malformed", "bad_field")
        expect(refused, "an error malformed or bad_field", answer, data)


@check("1.2", "a field that may be null may be left out, and vice versa")
async def nulls_left_out(context: CheckContext) -> None:
    peer = await context.stranger()
    await peer.hello(token=None, name=None, agent=None)
    of = context.script()
    full = await peer.ok("create", nonce=nonce(), game=of.game, size=None, seat=None, clock=None)
    bare = await peer.ok("create", nonce=nonce(), game=of.game)
    for made in (full, bare):
        expect(made.get("seats", []) == [], "no seats", made)
        await peer.join(made["room"], seat=None, nonce=None, since=None)
        default = next(g["default_size"] for g in context.welcome["games"] if g["game"] == of.game)
        size = peer.state(made["room"])["position"]["size"]
        expect(size == default, f"the default size, {default}", size, made)


@check("7", "a message of exactly frame_bytes is read, a longer one closes", codes=("1009",))
async def frame_bounded(context: CheckContext) -> None:
    most = context.limit("frame_bytes")
    if context.codec == "json":
        data = b'{"type":"ping","id":9}'.ljust(most)
    else:  # there are no blanks: only an unknown field fills a message up
        data = pack({"type": "ping", "id": 9, "x": "x" * (most - 40)})
        data = pack({"type": "ping", "id": 9, "x": "x" * (2 * most - 40 - len(data))})
    peer = await context.peer()
    peer.expects(9, {"type": "ping", "id": 9})
    answer = await peer.frame(data)
    fine = answer["type"] == "ok" or answer.get("field") == "x"
    expect(fine, f"an answer to a ping of {len(data)} bytes", answer)
    peer.last_sent = f"a message of {most + 1} bytes"
    await peer.connection.raw(data + b" ")
    await peer.until_closed(1009)
