"""Bytes to messages: strict in, tolerant out (law 9), in both codecs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import inspect

from pierule_protocol.codec import BadMessage, Codec, client_codecs, server_codecs
from pierule_protocol.codes import Code
from pierule_protocol.messages import (
    ClientMessage,
    Ping,
    ServerMessage,
    Snapshot,
)
from pierule_protocol.state.room import room_state
from support.logs import folded
from support.reference import references
from support.shapes import CLIENT_TYPES, SERVER_TYPES, messages
from support.vectors.examples import requests

SERVER, CLIENT = server_codecs(), client_codecs()


def _set(message: msgspec.Struct) -> dict[str, Any]:
    """The fields that are not left at their defaults."""
    fields = msgspec.structs.fields(message)
    return {f.name: value for f in fields if (value := getattr(message, f.name)) != f.default}


def _whole() -> Iterator[ClientMessage]:
    """Every request once, with every field that any of its registered examples sets."""
    for kind in CLIENT_TYPES:
        examples = [example for example in requests().values() if type(example) is kind]
        fields: dict[str, Any] = {}
        for example in reversed(examples):
            fields |= _set(example)
        yield _made(kind, fields)


def _made(kind: Any, fields: dict[str, Any]) -> Any:
    """A message. mypy would take seconds to check the call for each kind of the union."""
    return kind(**fields)


def fields_of(message: msgspec.Struct) -> tuple[msgspec.structs.FieldInfo, ...]:
    """The fields of a message, for mypy of any kind: else it would check the call for each."""
    return msgspec.structs.fields(type(message))


EXAMPLES = list(_whole())
NAMES = ["pierule.1.msgpack", "pierule.1.json"]
each_codec = pytest.mark.parametrize("name", NAMES)
codec_names = st.sampled_from(NAMES)


def pack(name: str, value: Any) -> bytes:
    return msgspec.msgpack.encode(value) if "msgpack" in name else msgspec.json.encode(value)


def refusal(codec: Codec[Any], data: bytes | str) -> BadMessage:
    with pytest.raises(BadMessage) as caught:
        codec.decode(data)
    bad = caught.value
    assert bad.text == str(bad) != ""
    return bad


def plain(message: msgspec.Struct) -> dict[str, Any]:
    """A message as builtins, all fields written out."""
    out: dict[str, Any] = msgspec.to_builtins(message)
    return {"type": message.__struct_config__.tag} | out


def test_codecs_are_in_the_order_of_preference() -> None:
    assert list(SERVER) == list(CLIENT) == NAMES
    assert [codec.text for codec in SERVER.values()] == [False, True]
    assert [codec.subprotocol for codec in SERVER.values()] == NAMES


def test_every_request_has_an_example() -> None:
    assert {type(example) for example in EXAMPLES} == set(CLIENT_TYPES)


# --- round trips ---------------------------------------------------------------------------------


@given(codec_names, st.one_of(*map(messages, CLIENT_TYPES)))
def test_requests_round_trip(name: str, message: ClientMessage) -> None:
    assert SERVER[name].decode(CLIENT[name].encode(message)) == message


@given(codec_names, st.one_of(*map(messages, SERVER_TYPES)))
def test_replies_round_trip(name: str, message: ServerMessage) -> None:
    assert CLIENT[name].decode(SERVER[name].encode(message)) == message


@each_codec
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: type(e).__name__)
def test_a_request_may_be_written_out_or_short(name: str, example: ClientMessage) -> None:
    """Fields whose value is null or a default may be left out, or not."""
    assert SERVER[name].decode(pack(name, plain(example))) == example
    required = {
        field.name: getattr(example, field.name) for field in fields_of(example) if field.required
    }
    short = _made(type(example), required)
    full = plain(short) | {field.name: getattr(short, field.name) for field in fields_of(short)}
    assert SERVER[name].decode(pack(name, full)) == short


def test_json_may_come_as_text_or_bytes() -> None:
    text = CLIENT["pierule.1.json"].encode(EXAMPLES[0])
    assert SERVER["pierule.1.json"].decode(text.decode()) == EXAMPLES[0]
    assert SERVER["pierule.1.json"].decode(text) == EXAMPLES[0]


# --- strict in -----------------------------------------------------------------------------------

WRONG: list[Any] = [None, True, -1, 1.0, 0.5, 2**31, 2**32, 2**63, "", "Ab c", "\n", "kobadimu\n",
                    "x" * 3000, [], [1], {}, {"epoch": 1}]  # fmt: skip


def fits(value: Any, kind: inspect.Type) -> bool:
    """Whether a value is of a type and in its bounds, by the letter of SPEC."""
    match kind:
        case inspect.UnionType():
            return any(fits(value, part) for part in kind.types)
        case inspect.NoneType():
            return value is None
        case inspect.IntType():
            assert kind.ge is not None
            assert kind.le is not None
            return type(value) is int and kind.ge <= value <= kind.le
        case inspect.StrType():
            if type(value) is not str or len(value) < (kind.min_length or 0):
                return False
            if kind.pattern is not None:
                return value.isascii() and value.isalpha() and value.islower() and len(value) < 33
            return kind.max_length is None or len(value) <= kind.max_length
        case inspect.LiteralType():
            return any(type(value) is type(v) and value == v for v in kind.values)
        case inspect.ListType():
            return isinstance(value, list) and all(fits(item, kind.item_type) for item in value)
        case inspect.StructType():
            return value == {} and not any(field.required for field in kind.fields)
    assert isinstance(kind, inspect.BoolType), kind
    return isinstance(value, bool)


def wrong_values(example: ClientMessage) -> Iterator[tuple[str, Any]]:
    """Each field of a request with each value that it may not have."""
    kind = inspect.type_info(type(example))
    assert isinstance(kind, inspect.StructType)
    return ((f.name, value) for f in kind.fields for value in WRONG if not fits(value, f.type))


@each_codec
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: type(e).__name__)
def test_a_wrong_value_is_refused_by_name(name: str, example: ClientMessage) -> None:
    """In one test for each request: as a test each, some 4 600 took half a minute to set up."""
    for field, value in wrong_values(example):
        bad = refusal(SERVER[name], pack(name, plain(example) | {field: value}))
        assert (bad.code, bad.field) == (Code.BAD_FIELD, field), value
        assert bad.id == (None if field == "id" else example.id), value


def test_every_type_has_a_wrong_value_to_test() -> None:
    assert all(len(list(wrong_values(example))) > 5 for example in EXAMPLES)


@each_codec
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: type(e).__name__)
def test_a_missing_field_is_refused_by_name(name: str, example: ClientMessage) -> None:
    for field in fields_of(example):
        message = plain(example)
        message.pop(field.name, None)  # not there if no example sets it
        if not field.required:
            assert SERVER[name].decode(pack(name, message)) is not None
            continue
        bad = refusal(SERVER[name], pack(name, message))
        assert (bad.code, bad.field) == (Code.BAD_FIELD, field.name)
        assert bad.id == (None if field.name == "id" else example.id)


@each_codec
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: type(e).__name__)
def test_an_unknown_field_is_refused_by_name(name: str, example: ClientMessage) -> None:
    for field in ("extra", "Room", "rooM", "é", ""):
        for message in (plain(example) | {field: 1}, {field: 1} | plain(example)):
            bad = refusal(SERVER[name], pack(name, message))
            assert (bad.code, bad.field, bad.id) == (Code.BAD_FIELD, field, example.id)


@each_codec
@pytest.mark.parametrize(
    "since",
    [
        {"epoch": 1, "seq": 1},
        {"epoch": 1, "seq": 1, "chain": 1, "x": 1},
        {"epoch": 1, "seq": "1", "chain": 1},
        {"epoch": 1, "seq": -1, "chain": 1},
        {"epoch": 1, "seq": 1, "chain": 2**32},
        {"epoch": True, "seq": 1, "chain": 1},
        [1, 1, 1],
        "1",
    ],
)
def test_a_wrong_since_is_refused_by_name(name: str, since: Any) -> None:
    message = {"type": "join", "id": 3, "room": "abc", "since": since}
    bad = refusal(SERVER[name], pack(name, message))
    assert (bad.code, bad.id) == (Code.BAD_FIELD, 3)
    assert bad.field is not None
    assert bad.field.partition(".")[0] == "since"


@each_codec
@pytest.mark.parametrize(
    ("type_", "code"),
    [
        ("nope", Code.UNKNOWN_TYPE),
        ("", Code.UNKNOWN_TYPE),
        ("ok", Code.UNKNOWN_TYPE),
        ("PING", Code.UNKNOWN_TYPE),
        ("p" * 5000, Code.UNKNOWN_TYPE),
        (None, Code.BAD_FIELD),
        (7, Code.BAD_FIELD),
        (["ping"], Code.BAD_FIELD),
    ],
)
def test_an_unknown_type_is_refused(name: str, type_: Any, code: Code) -> None:
    bad = refusal(SERVER[name], pack(name, {"type": type_, "id": 5}))
    assert (bad.code, bad.field, bad.id) == (code, "type", 5)
    assert len(bad.text) < 200


@each_codec
def test_a_missing_field_is_named_in_plain_words(name: str) -> None:
    """And where it is missing."""
    join = {"type": "join", "id": 5, "room": "kobadimu"}
    for lacks, field, text in (
        ({"type": "join", "id": 5}, "room", "the field `room` is missing"),
        (join | {"since": {"epoch": 1}}, "since", "the field `seq` is missing in `since`"),
    ):
        bad = refusal(SERVER[name], pack(name, lacks))
        assert (bad.code, bad.field, bad.id, bad.text) == (Code.BAD_FIELD, field, 5, text)


@each_codec
def test_a_request_without_a_type_is_refused(name: str) -> None:
    bad = refusal(SERVER[name], pack(name, {"id": 5}))
    assert (bad.code, bad.field, bad.id) == (Code.BAD_FIELD, "type", 5)


@each_codec
@pytest.mark.parametrize("value", [None, 5, "ping", [], ["ping", 5], True])
def test_a_frame_that_is_not_a_map_is_malformed(name: str, value: Any) -> None:
    bad = refusal(SERVER[name], pack(name, value))
    assert (bad.code, bad.field, bad.id) == (Code.MALFORMED, None, None)


@each_codec
@given(st.integers(0, 2**32 - 1))
def test_the_id_of_a_wrong_request_is_salvaged(name: str, number: int) -> None:
    bad = refusal(SERVER[name], pack(name, {"type": "act", "turn": "x", "id": number}))
    assert bad.id == number


# --- hostile in ----------------------------------------------------------------------------------

DEEP = 100_000

HOSTILE = {
    "json": [
        b"",
        b" ",
        b"\xff",
        b"{",
        b'{"type":"ping","id":1}{}',
        b'{"type":"ping","id":1}\xff',
        b'{"type":"ping","id":NaN}',
        b'{"type":"ping","id":Infinity}',
        b'{"type":"ping","id":-Infinity}',
        b'{"type":"ping","id":1e400}',
        b'{"type":"ping","id":0x10}',
        b'{"type":"ping","id":01}',
        b"{'type':'ping','id':1}",
        b'{"type":"ping","id":' + b"9" * 5000 + b"}",
        b'{"type":"ping","id":1,}',
        b'\xef\xbb\xbf{"type":"ping","id":1}',
        b'{"type":"leave","id":1,"room":"\xed\xa0\x80"}',
        b'{"type":"hello","id":1,"name":"\\ud800"}',
        b'{"type":"hello","id":1,"name":"\\ud800\\u0041"}',
        b'{"type":"hello","id":1,"name":"\\udc00\\ud800"}',
        b'{"type":"hello","id":1,"name":"a\nb"}',
        b"[" * DEEP,
        b'{"type":"ping","id":1,"x":' + b"[" * DEEP + b"]" * DEEP + b"}",
        b'{"x":' * DEEP,
        b'{"type":"join","id":1,"room":"a","since":' + b'{"epoch":' * DEEP,
    ],
    "msgpack": [
        b"",
        b"\xc1",
        b"\x81",
        b"\xdf\xff\xff\xff\xff",
        b"\xdf\xff\xff\xff\xff\xa4type\xa4ping\xa2id\x01",
        b"\xde\xff\xff\xa4type\xa4ping",
        b"\xdd\xff\xff\xff\xff",
        b"\xdb\xff\xff\xff\xffx",
        b"\xc6\xff\xff\xff\xffx",
        b"\xc9\xff\xff\xff\xff\x01x",
        b"\x82\xa4type\xa4ping\xa2id\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00",  # NaN
        b"\x82\xa4type\xa4ping\xa2id\xcb\x3f\xf0\x00\x00\x00\x00\x00\x00",  # 1.0
        b"\x82\xa4type\xa4ping\xa2id\xca\x3f\x80\x00\x00",  # 1.0, single precision
        b"\x82\xa4type\xa4ping\xa2id\xd6\xff\x00\x00\x00\x00",  # a time stamp
        b"\x82\xa4type\xa4ping\xa2id\xd4\x05\x00",  # an extension
        b"\x82\xa4type\xa4ping\xa2id\x01\x00",  # trailing bytes
        b"\x83\xa4type\xa4ping\xa2id\x01\x01\x02",  # a key that is no text
        b"\x83\xa4type\xa4ping\xa2id\x01\xc0\xc0",
        b"\x83\xa4type\xa4ping\xa2id\x01\x90\xc0",  # a key that is a list
        b"\x83\xa4type\xa4ping\xa2id\x01\xa2\xff\xfe\xc0",  # a key that is not UTF-8
        b"\x83\xa4type\xa5leave\xa2id\x01\xa4room\xa3\xed\xa0\x80",  # a surrogate
        b"\x83\xa4type\xa5leave\xa2id\x01\xa4room\xa2\xff\xfe",
        b"\x83\xa4type\xa5leave\xa2id\x01\xa4room\xc4\x03abc",  # bytes for text
        b"\x91" * DEEP,
        b"\x81\xa1x" * DEEP,
        b"\x83\xa4type\xa4ping\xa2id\x01\xa1x" + b"\x91" * DEEP + b"\xc0",
    ],
}


@pytest.mark.parametrize(
    ("name", "data"),
    [
        pytest.param(f"pierule.1.{kind}", data, id=f"{kind}-{number}")
        for kind, frames in HOSTILE.items()
        for number, data in enumerate(frames)
    ],
)
def test_hostile_frames_are_refused_with_an_encodable_text(name: str, data: bytes) -> None:
    bad = refusal(SERVER[name], data)
    bad.text.encode()  # it can be answered


@pytest.mark.parametrize(
    "data",
    [
        b"\x82\xa4type\xa2\xff\xfe\xa2id\x01",
        b"\x83\xa4type\xa5leave\xa2id\x01\xa4room\xa2\xff\xfe",
        b"\x83\xa4type\xa5leave\xa2id\x01\xa4room\x91\xa3\xed\xa0\x80",
        b"\x83\xa4type\xa4ping\xa2id\x01\xa2\xff\xfe\xc0",
    ],
    ids=["type", "value", "within", "key"],
)
def test_a_text_that_is_not_utf_8_is_explained_in_plain_words(data: bytes) -> None:
    bad = refusal(SERVER["pierule.1.msgpack"], data)
    assert bad.text.removeprefix("not pierule.1.msgpack: ") == "a string is not UTF-8"


@each_codec
def test_the_last_of_duplicate_keys_counts(name: str) -> None:
    data = {
        "pierule.1.json": b'{"type":"ping","id":1,"id":2}',
        "pierule.1.msgpack": b"\x83\xa4type\xa4ping\xa2id\x01\xa2id\x02",
    }[name]
    assert SERVER[name].decode(data) == Ping(id=2)


def check(name: str, data: bytes | str) -> None:
    """A frame is a message, or is refused in a way that can be answered; nothing else."""
    try:
        message = SERVER[name].decode(data)
    except BadMessage as refused:
        bad = refused
    else:
        assert isinstance(message, CLIENT_TYPES)
        assert SERVER[name].decode(CLIENT[name].encode(message)) == message
        return
    assert bad.code in (Code.MALFORMED, Code.UNKNOWN_TYPE, Code.BAD_FIELD)
    assert bad.id is None or 0 <= bad.id < 2**32
    bad.text.encode()
    (bad.field or "").encode()


frames = st.builds(
    lambda name, example: (name, CLIENT[name].encode(example)),
    codec_names,
    st.sampled_from(EXAMPLES),
)


@st.composite
def mutations(draw: st.DrawFn) -> tuple[str, bytes]:
    name, data = draw(frames)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = draw(st.integers(start, min(len(data), start + 4)))
        data = data[:start] + draw(st.binary(max_size=4)) + data[end:]
    return name, data


@given(mutations())
def test_mutated_frames_are_decoded_or_refused(frame: tuple[str, bytes]) -> None:
    check(*frame)


@given(codec_names, st.binary())
def test_any_bytes_are_decoded_or_refused(name: str, data: bytes) -> None:
    check(name, data)


@given(st.text())
def test_any_text_is_decoded_or_refused(data: str) -> None:
    check("pierule.1.json", data)


trees = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**63), 2**64 - 1) | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


@given(
    codec_names,
    st.sampled_from(EXAMPLES),
    st.dictionaries(st.sampled_from(["id", "room", "type", "seat", "since", "new"]), trees),
)
def test_any_values_of_fields_are_decoded_or_refused(
    name: str, example: ClientMessage, changed: dict[str, Any]
) -> None:
    check(name, pack(name, plain(example) | changed))


@given(codec_names, st.binary())
def test_a_client_reads_or_refuses_any_bytes(name: str, data: bytes) -> None:
    try:
        message = CLIENT[name].decode(data)
    except BadMessage:
        return
    assert isinstance(message, SERVER_TYPES)


# --- tolerant out --------------------------------------------------------------------------------


def with_news(value: Any) -> Any:
    """The same message from a later server: every map has fields that nobody knows yet."""
    match value:
        case dict():
            known = {key: with_news(item) for key, item in value.items()}
            return {"a_new_field": {"type": "x"}} | known | {"newer": [1, None, 1.5]}
        case list() | tuple():
            return [with_news(item) for item in value]
    return value


@given(codec_names, st.one_of(*map(messages, SERVER_TYPES)))
def test_clients_ignore_fields_that_they_do_not_know(name: str, message: ServerMessage) -> None:
    later = with_news(json.loads(msgspec.json.encode(message)))
    assert CLIENT[name].decode(pack(name, later)) == message


@each_codec
def test_a_client_refuses_an_unknown_type_as_unknown(name: str) -> None:
    bad = refusal(CLIENT[name], pack(name, {"type": "flagged", "room": "x"}))
    assert bad.code == Code.UNKNOWN_TYPE


@each_codec
def test_snapshots_of_whole_games_round_trip(name: str) -> None:
    for reference in references():
        state = room_state(folded(reference.log()))
        message = CLIENT[name].decode(SERVER[name].encode(Snapshot(state=state)))
        assert isinstance(message, Snapshot)
        assert message.state == state
