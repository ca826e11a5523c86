"""Whatever a client sends, it gets its documented error or close code, and nobody else is
disturbed: beside every test a game of two others goes on to its end."""

from __future__ import annotations

import asyncio
import json
from contextlib import suppress
from typing import Any, NamedTuple

import msgspec
import pytest
from websockets.exceptions import ConnectionClosed
from websockets.frames import Frame, Opcode

from e2e.conftest import Opener, Starter
from pierule_protocol.codes import Close, Code
from pierule_protocol.messages import Error, Hello, Ok, Ping
from support.games import check_mirror, game, play, seat_both
from support.peer import CODECS, Gone, Peer
from support.serving import Serving

pytestmark = pytest.mark.usefixtures("bystanders")

CODEC_NAMES = list(CODECS)


async def sent(peer: Peer, data: bytes) -> Error:
    """Send bytes that are to be answered by an error."""
    known = len(peer.strays), len(peer.answers)
    await peer.send_raw(data)
    await peer.until(
        lambda: (len(peer.strays), len(peer.answers)) != known, f"an error to {data!r}"
    )
    error = next(m for m in reversed(peer.received) if isinstance(m, Ok | Error))
    assert isinstance(error, Error), (data, error)
    assert error.text
    return error


# --- messages that are none -----------------------------------------------------------------------


class Case(NamedTuple):
    """A map that is no request, and what it is answered with."""

    content: Any
    code: Code
    field: str | None
    id: int | None = 7


BAD = Code.BAD_FIELD
CREATE = {"type": "create", "id": 7, "nonce": "n", "game": "loose"}
ACT = {"type": "act", "id": 7, "room": "abc", "turn": 0, "action": "a1"}
JOIN = {"type": "join", "id": 7, "room": "abc"}
SINCE = {"epoch": 1, "seq": 1, "chain": 1}

CASES = {
    # No message, or no type that there is.
    "a number": Case(7, Code.MALFORMED, None, None),
    "a text": Case("ping", Code.MALFORMED, None, None),
    "nothing": Case(None, Code.MALFORMED, None, None),
    "an array": Case(["ping", 7], Code.MALFORMED, None, None),
    "an array of maps": Case([{"type": "ping", "id": 7}], Code.MALFORMED, None, None),
    "an empty map": Case({}, BAD, "type", None),
    "no type": Case({"id": 7}, BAD, "type"),
    "unknown type": Case({"type": "dance", "id": 7}, Code.UNKNOWN_TYPE, "type"),
    "type of an answer": Case({"type": "ok", "id": 7}, Code.UNKNOWN_TYPE, "type"),
    "type in capitals": Case({"type": "PING", "id": 7}, Code.UNKNOWN_TYPE, "type"),
    "long type": Case({"type": "x" * 9_000, "id": 7}, Code.UNKNOWN_TYPE, "type"),
    "type is a number": Case({"type": 1, "id": 7}, BAD, "type"),
    "type is null": Case({"type": None, "id": 7}, BAD, "type"),
    "type is a map": Case({"type": {}, "id": 7}, BAD, "type"),
    # The id.
    "no id": Case({"type": "ping"}, BAD, "id", None),
    "negative id": Case({"type": "ping", "id": -1}, BAD, "id", None),
    "id too large": Case({"type": "ping", "id": 2**32}, BAD, "id", None),
    "id far too large": Case({"type": "ping", "id": 2**63}, BAD, "id", None),
    "id is a float": Case({"type": "ping", "id": 7.5}, BAD, "id", None),
    "id is a text": Case({"type": "ping", "id": "7"}, BAD, "id", None),
    "id is true": Case({"type": "ping", "id": True}, BAD, "id", None),
    "id is null": Case({"type": "ping", "id": None}, BAD, "id", None),
    "id is an array": Case({"type": "ping", "id": [7]}, BAD, "id", None),
    # Other fields.
    "unknown field": Case({"type": "ping", "id": 7, "more": 1}, BAD, "more"),
    "unknown field in since": Case({**JOIN, "since": {**SINCE, "at": 1}}, BAD, "since"),
    "missing field": Case({"type": "create", "id": 7, "nonce": "n"}, BAD, "game"),
    "missing nonce": Case({"type": "resign", "id": 7, "room": "abc"}, BAD, "nonce"),
    "missing field in since": Case({**JOIN, "since": {"epoch": 1, "seq": 1}}, BAD, "since"),
    "size is a text": Case({**CREATE, "size": "5"}, BAD, "size"),
    "size is a float": Case({**CREATE, "size": 5.5}, BAD, "size"),
    "size is negative": Case({**CREATE, "size": -5}, BAD, "size"),
    "size is zero": Case({**CREATE, "size": 0}, BAD, "size"),
    "size is large": Case({**CREATE, "size": 100}, BAD, "size"),
    "size is true": Case({**CREATE, "size": True}, BAD, "size"),
    "seat out of range": Case({**CREATE, "seat": 2}, BAD, "seat"),
    "seat is a text": Case({**CREATE, "seat": "any"}, BAD, "seat"),
    "seat of a join": Case({**JOIN, "seat": "none", "nonce": "n"}, BAD, "seat"),
    "seat of a join out of range": Case({**JOIN, "seat": -1, "nonce": "n"}, BAD, "seat"),
    "game is null": Case({**CREATE, "game": None}, BAD, "game"),
    "game is long": Case({**CREATE, "game": "l" * 33}, BAD, "game"),
    "nonce is empty": Case({**CREATE, "nonce": ""}, BAD, "nonce"),
    "nonce is long": Case({**CREATE, "nonce": "n" * 41}, BAD, "nonce"),
    "nonce has a space": Case({**CREATE, "nonce": "a b"}, BAD, "nonce"),
    "nonce has a line break": Case({**CREATE, "nonce": "n\n"}, BAD, "nonce"),
    "nonce has a letter beyond": Case({**CREATE, "nonce": "é"}, BAD, "nonce"),
    "room is empty": Case({**ACT, "room": ""}, BAD, "room"),
    "room is long": Case({**ACT, "room": "a" * 33}, BAD, "room"),
    "room has a digit": Case({**ACT, "room": "room1"}, BAD, "room"),
    "room has a brace": Case({**ACT, "room": "{a}"}, BAD, "room"),
    "room has a line break": Case({**ACT, "room": "abc\n"}, BAD, "room"),
    "room is a number": Case({**ACT, "room": 5}, BAD, "room"),
    "turn is negative": Case({**ACT, "turn": -1}, BAD, "turn"),
    "turn is large": Case({**ACT, "turn": 2**31}, BAD, "turn"),
    "turn is a float": Case({**ACT, "turn": 0.5}, BAD, "turn"),
    "turn is a text": Case({**ACT, "turn": "0"}, BAD, "turn"),
    "action is long": Case({**ACT, "action": "a" * 65}, BAD, "action"),
    "action is a number": Case({**ACT, "action": 1}, BAD, "action"),
    "action is an array": Case({**ACT, "action": ["a1"]}, BAD, "action"),
    "since is a number": Case({**JOIN, "since": 5}, BAD, "since"),
    "since is negative": Case({**JOIN, "since": {**SINCE, "seq": -1}}, BAD, "since.seq"),
    "since is large": Case({**JOIN, "since": {**SINCE, "chain": 2**32}}, BAD, "since.chain"),
    "limit is zero": Case({"type": "rooms", "id": 7, "limit": 0}, BAD, "limit"),
    "limit is large": Case({"type": "rooms", "id": 7, "limit": 101}, BAD, "limit"),
    "name is a number": Case({"type": "hello", "id": 7, "name": 1}, BAD, "name"),
    "agent is long": Case({"type": "hello", "id": 7, "agent": "a" * 81}, BAD, "agent"),
}


@pytest.mark.parametrize("codec", CODEC_NAMES)
async def test_maps_that_are_not_requests_are_refused(codec: str, start: Starter) -> None:
    """Each is answered with its error, before hello and after it."""
    encode = json.dumps if codec == "json" else msgspec.msgpack.encode
    serving = start("--errors", "1000")
    async with await Peer.connect(serving.url, codec) as peer:
        for _ in range(2):
            for name, case in CASES.items():
                data = encode(case.content)
                error = await sent(peer, data.encode() if isinstance(data, str) else data)
                got = error.code, error.field, error.id
                assert got == (case.code, case.field, case.id), (name, error)
                if case.id is not None:
                    del peer.answers[case.id]  # the same id again and again is ours to allow
            if peer.who is None:
                peer.who = (await peer.answer(await hello(peer))).welcome  # type: ignore[union-attr]


async def hello(peer: Peer) -> int:
    """Say hello with an id beyond those of the cases."""
    await peer.send_message(Hello(id=1_000))
    return 1_000


PING = msgspec.msgpack.encode({"type": "ping", "id": 7})

NOT_MSGPACK = {
    "nothing": b"",
    "text": b'{"type": "ping", "id": 7}',
    "reserved byte": b"\xc1",
    "cut off": PING[:-1],
    "something behind": PING + b"\x00",
    "two messages": PING + PING,
    "map of 2**32 - 1": b"\xdf\xff\xff\xff\xff",
    "map of 2**32 - 1 that begins": b"\xdf\xff\xff\xff\xff" + PING[1:],
    "array of 2**32 - 1": b"\xdd\xff\xff\xff\xff",
    "text of 2**32 - 1": b"\x81\xa4type\xdb\xff\xff\xff\xffabc",
    "bytes of 2**32 - 1": b"\x81\xa4type\xc6\xff\xff\xff\xffabc",
    "extension": b"\x81\xa4type\xd4\x01\x00",
    "extension of 2**32 - 1": b"\x81\xa4type\xc9\xff\xff\xff\xff\x01",
    "deep arrays": b"\x91" * 16_000,
    "deep arrays that end": b"\x91" * 8_000 + b"\x90",
    "deep maps": b"\x81\xa1a" * 5_000,
    "deep maps that end": b"\x81\xa1a" * 5_000 + b"\x80",
    "text that is not UTF-8": b"\x81\xa4type\xa2\xff\xfe",
    "key that is not UTF-8": b"\x81\xa2\xff\xfe\x01",
    "number as key": b"\x81\x01\x02",
    "array as key": b"\x81\x91\x01\x02",
    "zeros": bytes(16_000),
    "ones": b"\xff" * 16_000,
}

NOT_JSON = {
    "nothing": b"",
    "space": b"   ",
    "no quotes": b"{type: ping}",
    "single quotes": b"{'type': 'ping', 'id': 7}",
    "cut off": b'{"type": "ping", "id": 7',
    "something behind": b'{"type": "ping", "id": 7}x',
    "two messages": b'{"type": "ping", "id": 7} {"type": "ping", "id": 8}',
    "comma at the end": b'{"type": "ping", "id": 7,}',
    "not a number": b'{"type": "ping", "id": NaN}',
    "infinity": b'{"type": "ping", "id": Infinity}',
    "leading zero": b'{"type": "ping", "id": 07}',
    "comment": b'{"type": "ping", "id": 7} // now',
    "byte order mark": b'\xef\xbb\xbf{"type": "ping", "id": 7}',
    "raw line break": b'{"type": "pi\nng", "id": 7}',
    "bad escape": b'{"type": "\\x41", "id": 7}',
    "half a surrogate pair": b'{"type": "\\ud800", "id": 7}',
    "deep arrays": b"[" * 16_000,
    "deep arrays that end": b"[" * 8_000 + b"]" * 8_000,
    "deep maps": b'{"a":' * 3_000,
    "deep maps that end": b'{"a":' * 2_500 + b"1" + b"}" * 2_500,
    "long number": b'{"type": "ping", "id": ' + b"9" * 10_000 + b"}",
    "huge exponent": b'{"type": "ping", "id": 1e400}',
    "zeros": bytes(16_000),
}  # fmt: skip

FRAMES = [
    *(pytest.param("msgpack", data, id=f"msgpack-{name}") for name, data in NOT_MSGPACK.items()),
    *(pytest.param("json", data, id=f"json-{name}") for name, data in NOT_JSON.items()),
]

READABLE = {Code.BAD_FIELD, Code.MALFORMED, Code.UNKNOWN_TYPE}


@pytest.mark.parametrize(("codec", "data"), FRAMES)
async def test_bytes_that_are_not_messages_are_refused(
    codec: str, data: bytes, server: Serving
) -> None:
    async with await Peer.connect(server.url, codec) as peer:
        error = await sent(peer, data)
        assert error.code in READABLE
        assert len(error.text) < 500
        peer.who = (await peer.answer(await hello(peer))).welcome  # type: ignore[union-attr]
        await peer.do(Ping)


@pytest.mark.parametrize("codec", CODEC_NAMES)
async def test_deep_nesting_in_any_field_is_refused(codec: str, server: Serving) -> None:
    """Nesting that only the second look at a bad message meets, for its id."""
    for deep in (100, 900, 1_100, 4_000, 7_000):
        async with await Peer.connect(server.url, codec) as peer:
            for name in ("id", "type", "token", "more"):
                if codec == "json":
                    data = b'{"%s":' % name.encode() + b"[" * deep + b"]" * deep + b"}"
                else:
                    data = b"\x81" + msgspec.msgpack.encode(name) + b"\x91" * deep + b"\x90"
                assert (await sent(peer, data)).code in READABLE


async def test_the_last_of_duplicate_keys_counts(server: Serving) -> None:
    async with await Peer.open(server.url, codec="json") as peer:
        await peer.send_raw(b'{"id": 49, "id": 50, "type": "ping", "id": 51}')
        assert isinstance(await peer.answer(51), Ok)
        # Only what has two types is nothing.
        error = await sent(peer, b'{"type": "ping", "id": 52, "type": "rooms"}')
        assert (error.code, error.field, error.id) == (Code.UNKNOWN_TYPE, "type", 52)
    async with await Peer.open(server.url) as peer:
        await peer.send_raw(b"\x83\xa4type\xa4ping\xa2id\x32\xa2id\x33")
        assert isinstance(await peer.answer(0x33), Ok)


# --- what closes a connection ---------------------------------------------------------------------


@pytest.mark.parametrize("codec", CODEC_NAMES)
@pytest.mark.parametrize("limit", [1, 16])
async def test_a_client_with_too_many_errors_is_closed(
    limit: int, codec: str, start: Starter
) -> None:
    serving = start("--errors", str(limit))
    peer = await Peer.open(serving.url, codec=codec)
    assert peer.welcome.limits.errors == limit
    for _ in range(50):  # refused requests are not counted: they are messages
        await peer.refused(Code.HELLO_AGAIN, Hello)
    for _ in range(limit - 1):
        await sent(peer, b"[")
        await peer.do(Ping)
    await peer.send_raw(b"[")
    assert await peer.closed() == Close.TOO_MANY_ERRORS
    assert len(peer.strays) == limit  # the last one was answered, too


@pytest.mark.parametrize("size", [16_385, 100_000, 10_000_000])
@pytest.mark.parametrize("codec", CODEC_NAMES)
async def test_a_frame_that_is_too_large_closes_the_connection(
    codec: str, size: int, client: Opener
) -> None:
    peer = await client(codec=codec)
    with suppress(Gone):
        await peer.send_raw(b"x" * size)
    assert await peer.closed() == Close.TOO_LARGE


@pytest.mark.parametrize("codec", CODEC_NAMES)
async def test_a_frame_of_the_largest_size_is_read(codec: str, client: Opener) -> None:
    peer = await client(codec=codec)
    head = b'{"type": "ping", "id": 70' if codec == "json" else b""
    data = head + b" " * (16_384 - len(head) - 1) + b"}" if head else b"\xdb\x00\x00\x3f\xfb"
    if not head:
        error = await sent(peer, data + b"x" * (16_384 - len(data)))
        assert error.code == Code.MALFORMED
        return
    await peer.send_raw(data)
    assert isinstance(await peer.answer(70), Ok)


@pytest.mark.parametrize("codec", CODEC_NAMES)
async def test_a_fragmented_message_that_is_too_large_closes_the_connection(
    codec: str, client: Opener
) -> None:
    peer = await client(codec=codec)
    pieces = ["x" * 1_000 if codec == "json" else b"x" * 1_000] * 20
    with suppress(ConnectionClosed):
        await peer.socket.send(pieces)
    assert await peer.closed() == Close.TOO_LARGE


@pytest.mark.parametrize("greeted", [True, False])
@pytest.mark.parametrize("codec", CODEC_NAMES)
async def test_a_frame_of_the_wrong_kind_closes_the_connection(
    codec: str, greeted: bool, server: Serving
) -> None:
    peer = await (Peer.open if greeted else Peer.connect)(server.url, codec=codec)
    await peer.socket.send(b'{"type": "ping", "id": 7}', text=not peer.codec.text)
    assert await peer.closed() == Close.UNSUPPORTED_DATA


@pytest.mark.parametrize("codec", CODEC_NAMES)
async def test_a_text_frame_that_is_not_utf_8_closes_the_connection(
    codec: str, client: Opener
) -> None:
    peer = await client(codec=codec)
    await peer.socket.send(b'{"type": "p\xff"}', text=True)
    assert await peer.closed() == Close.INVALID_TEXT


async def test_an_unmasked_frame_closes_the_connection(client: Opener) -> None:
    peer = await client()
    frame = Frame(Opcode.BINARY, b"x").serialize(mask=False)  # a client must mask
    peer.socket.transport.write(frame)
    assert await peer.closed() == Close.PROTOCOL_ERROR


# --- many at once ---------------------------------------------------------------------------------


async def test_a_flood_of_nonsense_does_not_disturb_a_game(start: Starter, opener: Opener) -> None:
    """While dozens send nonsense until they are closed, a game is played from end to end.

    They go on sending, so that much lies unread before their own close; the server finds it
    nevertheless, and does not wait for the end of its patience.
    """
    serving = start("--close-seconds", "60")
    of = game("loose", 9)

    async def vandal(codec: str, data: bytes) -> int:
        peer = await Peer.open(serving.url, codec=codec)
        try:
            for _ in range(100):
                await peer.send_raw(data)
        except Gone:
            pass
        return await peer.closed()

    async def players() -> None:
        peer = await opener(serving.url, "Cyd")
        room = await seat_both(peer, peer, of)
        await play(room, of, (peer, peer))
        await peer.until_over(room)
        check_mirror(peer, room, of)

    cases = [("msgpack", data) for data in NOT_MSGPACK.values()]
    cases += [("json", data) for data in NOT_JSON.values()]
    codes, _ = await asyncio.gather(
        asyncio.gather(*(vandal(codec, data) for codec, data in cases)), players()
    )
    assert set(codes) == {Close.TOO_MANY_ERRORS}
