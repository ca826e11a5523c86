"""msgpack within bounds: what a frame claims costs nothing, and nothing foreign is taken."""

from __future__ import annotations

import tracemalloc
from contextlib import suppress
from time import process_time
from typing import Any

import msgpack
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import to_builtins

from pierule_protocol.codec import BadMessage, client_codecs, server_codecs
from pierule_protocol.codes import Code
from pierule_protocol.messages import Event, ServerMessage
from pierule_protocol.packing import MOST_KEYS, pack, unpack, unpack_loosely
from support.shapes import CLIENT_TYPES, SERVER_TYPES, messages

FRAME = 16_384
MSGPACK = "pierule.1.msgpack"
PING = {"type": "ping", "id": 7}

text = st.text()
values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | text,
    lambda inner: st.lists(inner) | st.dictionaries(
        text.filter(lambda key: key not in ("type", "kind")), inner, max_size=MOST_KEYS
    ),
    max_leaves=40,
)  # fmt: skip


@given(values)
def test_plain_values_round_trip(value: Any) -> None:
    assert unpack(pack(value)) == unpack_loosely(pack(value)) == value


@given(values)
def test_packed_values_are_read_by_another_implementation(value: Any) -> None:
    assert msgpack.unpackb(pack(value)) == value
    assert unpack(msgpack.packb(value)) == value


BOMBS = {
    "arrays of 16383": b"\xdc\x3f\xff" * (FRAME // 3),
    "arrays of 16383, few": b"\xdc\x3f\xff" * 1000,
    "arrays of 1000": b"\xdc\x03\xe8" * (FRAME // 3),
    "arrays of 4 billion": b"\xdd\xff\xff\xff\xff" * (FRAME // 5),
    "maps of 64": (b"\xde\x00\x40\xa1a") * (FRAME // 5),
    "maps of 65535": (b"\xde\xff\xff\xa1a") * (FRAME // 5),
    "arrays, just in a small frame": b"\xdc\x01\x00" * 85,
    "arrays in a field": b"\x83\xa4type\xa4ping\xa2id\x07\xa1x" + b"\xdc\x3f\xff" * 5000,
    "nested and whole": b"\x91" * 900 + b"\x90",
    "too deep": b"\x91" * (FRAME - 1) + b"\x90",
    "a long string": b"\xdb\xff\xff\xff\xff",
    "empty maps": b"\xdc\x3f\x00" + b"\x80" * 0x3F00,
    "empty maps beside two types": b"\x83\xa4type\x07\xa4type\x07\xa1x\xdc\x3f\x00"
    + b"\x80" * 0x3F00,
}


def peak(data: bytes) -> int:
    """Bytes that refusing a frame takes at most, at any moment."""
    codec = server_codecs()[MSGPACK]
    tracemalloc.start()
    try:
        with pytest.raises(BadMessage):
            codec.decode(data)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_take_little_memory(name: str) -> None:
    """A whole frame of the items that take the most (empty maps) is the measure; a map's pairs are
    allocated by its claim, of at most 64 keys, on each of 1024 levels."""
    peak(b"\xc1")  # what the first refusal alone takes
    assert len(BOMBS[name]) <= FRAME
    assert peak(BOMBS[name]) < 2_500_000
    if "arrays" in name:
        assert peak(BOMBS[name]) < 500_000


def work(data: bytes, times: int) -> float:
    """Processor time that a frame takes, refused or not."""
    codec = server_codecs()[MSGPACK]
    start = process_time()
    for _ in range(times):
        with suppress(BadMessage):
            codec.decode(data)
    return (process_time() - start) / times


@pytest.mark.parametrize("name", BOMBS)
def test_bombs_take_little_more_work_than_an_honest_frame(name: str) -> None:
    """At the best of many tries. In each, both take as long: a busy machine slows both down."""
    frame = pack({"type": "replay", "id": 7, "game": "loose", "actions": ["c3-c7/d10e10"] * 1000})
    assert any(work(BOMBS[name], 1) < 100 * work(frame, 50) for _ in range(30))


FOREIGN = {
    "bin": b"\xc4\x01a",
    "an empty bin": b"\xc4\x00",
    "an empty bin, long": b"\xc6\x00\x00\x00\x00",
    "ext": b"\xd4\x05\x00",
    "an empty ext": b"\xc7\x00\x05",
    "a time stamp": b"\xd6\xff\x00\x00\x00\x00",
    "an empty time stamp": b"\xc7\x00\xff",
}


@pytest.mark.parametrize("name", FOREIGN)
@pytest.mark.parametrize("where", [b"%b", b"\x91%b", b"\x81\xa1x%b", b"\x81%b\x01"])
def test_types_that_the_protocol_lacks_are_refused(name: str, where: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        unpack(where % FOREIGN[name])


@pytest.mark.parametrize("name", [name for name in FOREIGN if name != "an empty time stamp"])
def test_the_field_with_a_foreign_type_is_named(name: str) -> None:
    data = b"\x83\xa4type\xa5leave\xa2id\x07\xa4room" + FOREIGN[name]
    with pytest.raises(BadMessage) as caught:
        server_codecs()[MSGPACK].decode(data)
    bad = caught.value
    assert (bad.code, bad.field, bad.id) == (Code.BAD_FIELD, "room", 7)


@pytest.mark.parametrize("name", FOREIGN)
def test_a_client_refuses_foreign_types_even_in_unknown_fields(name: str) -> None:
    data = b"\x83\xa4type\xa6notice\xa4kind\xa4cake\xa6pieces" + FOREIGN[name]
    with pytest.raises(BadMessage):
        client_codecs()[MSGPACK].decode(data)


def test_a_map_has_at_most_64_keys() -> None:
    fits = {f"k{number}": number for number in range(MOST_KEYS)}
    assert unpack(pack(fits)) == fits
    with pytest.raises(ValueError, match="64"):
        unpack(pack(fits | {"more": 1}))
    widest = max(len(kind.__struct_fields__) for kind in (*CLIENT_TYPES, *SERVER_TYPES))
    assert widest * 2 <= MOST_KEYS


def twice(tag: str, first: Any, second: Any, **rest: Any) -> bytes:
    pairs = [(tag, first), (tag, second), *rest.items()]
    return bytes([0x80 | len(pairs)]) + b"".join(pack(part) for pair in pairs for part in pair)


def test_two_different_types_are_refused_and_two_equal_ones_are_not() -> None:
    codec = server_codecs()[MSGPACK]
    assert codec.decode(twice("type", "ping", "ping", id=7)) == codec.decode(pack(PING))
    for first, second in (("ping", "rooms"), ("rooms", "ping"), (7, "ping"), ("", "ping")):
        with pytest.raises(BadMessage) as caught:
            codec.decode(twice("type", first, second, id=7))
        bad = caught.value
        assert (bad.code, bad.field, bad.id) == (Code.UNKNOWN_TYPE, "type", 7)


def test_a_clock_of_two_kinds_is_refused() -> None:
    clock = twice("kind", "fischer", "turnwise", time=9)
    head = pack({"type": "seek", "id": 7, "nonce": "n", "game": "loose"})
    data = b"\x85" + head[1:] + pack("clock") + clock
    with pytest.raises(BadMessage) as caught:
        server_codecs()[MSGPACK].decode(data)
    bad = caught.value
    assert (bad.code, bad.id) == (Code.BAD_FIELD, 7)
    assert bad.field is not None
    assert bad.field.startswith("clock")


@given(st.one_of(messages(Event), *map(messages, SERVER_TYPES)))
def test_every_message_is_as_short_as_msgpack_allows(message: ServerMessage) -> None:
    """However it is encoded: each map's head, too."""
    assert server_codecs()[MSGPACK].encode(message) == pack(to_builtins(message))
