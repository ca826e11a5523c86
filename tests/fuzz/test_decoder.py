"""Any bytes at all: accepted, or refused with a documented error, in no time and no memory."""

from __future__ import annotations

import gc
import tracemalloc
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fuzz.oracle import CODECS, changed, check_decoder, seeds
from pierule_protocol.codec import BadMessage
from support.examples import up_to

bounded = settings(database=None, deadline=None, max_examples=up_to(200))
both = pytest.mark.parametrize("name", CODECS)

KEYS = st.sampled_from(
    ["type", "id", "room", "turn", "action", "nonce", "seat", "clock", "kind", "since", "first"]
) | st.text(max_size=5)
LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=40)
    | st.sampled_from(["hello", "create", "join", "act", "fischer", "any", "loose"])
)
TREES = st.recursive(
    LEAVES,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=6),
    max_leaves=25,
)


def _encode(name: str, value: Any) -> bytes:
    return msgspec.json.encode(value) if CODECS[name].text else msgspec.msgpack.encode(value)


@both
@bounded
@given(st.binary(max_size=400))
def test_any_bytes_are_decoded_or_refused(name: str, data: bytes) -> None:
    check_decoder(CODECS[name], data)


@bounded
@given(st.sampled_from(list(CODECS)), TREES)
def test_any_well_formed_frame_is_decoded_or_refused(name: str, value: Any) -> None:
    check_decoder(CODECS[name], _encode(name, value))


@both
@bounded
@given(st.data())
def test_requests_with_changed_bytes_are_decoded_or_refused(name: str, data: st.DataObject) -> None:
    check_decoder(CODECS[name], data.draw(changed(seeds(CODECS[name]))))


@bounded
@given(st.binary(max_size=12), st.sampled_from([0xDC, 0xDD, 0xDE, 0xDF, 0xDB, 0xC6, 0xC9]))
def test_claimed_lengths_take_no_memory(tail: bytes, header: int) -> None:
    """Whatever claims to be long takes no memory before it is there."""
    data = b"\x81\xa2id" + bytes([header]) + b"\xff\xff\xff\xff" + tail
    tracemalloc.start()
    check_decoder(CODECS["pierule.1.msgpack"], data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200_000


def test_errors_quote_only_a_short_part_of_the_frame() -> None:
    """Found by `make fuzz`: characters that are written as ten each."""
    data = msgspec.msgpack.encode({"id": 1, "type": "\U000cb4ac" * 40})
    check_decoder(CODECS["pierule.1.msgpack"], data)


@both
def test_a_thousand_refusals_keep_no_memory(name: str) -> None:
    bad = [data[:-1] for data in seeds(CODECS[name])] + [b"\xdf\xff\xff\xff\xff", b"["]

    def refuse() -> None:
        for data in bad:
            with pytest.raises((BadMessage, UnicodeDecodeError)):
                CODECS[name].decode(data.decode() if CODECS[name].text else data)

    tracemalloc.start()
    for _ in range(10):
        refuse()
    gc.collect()
    before, _ = tracemalloc.get_traced_memory()
    for _ in range(1_000 // len(bad)):
        refuse()
    gc.collect()
    after, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert after - before < 50_000
