"""Peers that are slow or mean no good, against a real server: each is refused with a documented
code, and nobody else is the worse for it (law 10)."""

from __future__ import annotations

import re
import socket
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, ExitStack, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from pierule_protocol.codes import Close, Code
from pierule_protocol.messages import Error, Ping
from support.crowd import Latencies, Show
from support.peer import Peer
from support.raw import BINARY, CLOSE, PING, PONG, TEXT, Ended, Raw, masked, request
from support.serving import Serving
from support.stores import wait_for

OUTBOX = 32_768
FLAGS = (
    *("--outbox-bytes", str(OUTBOX), "--buffer-bytes", "16384", "--close-seconds", "4"),
    *("--handshake-seconds", "1", "--hello-seconds", "2"),
    # Who stops reading is slow before a ping goes unanswered, however busy the machine.
    *("--ping-seconds", "300"),
)


@pytest.fixture(scope="module")
def lax(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server with small buffers that does not count requests and connections."""
    yield from _serve(tmp_path_factory, *FLAGS)


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server with the limits of its defaults, but for few connections."""
    yield from _serve(
        tmp_path_factory,
        *("--connections-per-address", "5", "--connections-per-user", "3"),
        *("--rooms-per-user", "4", "--trusted-proxies", "127.0.0.2,10.0.0.0/8"),
        *("--connection-rate", "20", "--user-rate", "40"),
    )


def _serve(factory: pytest.TempPathFactory, *flags: str) -> Iterator[Serving]:
    with Serving(factory.mktemp("hostile"), *flags) as serving:
        yield serving
        print(serving.output)
        assert not [entry for entry in serving.logged if entry["level"] in ("error", "critical")]


def memory_of(serving: Serving) -> int:
    """Bytes that the node has resident."""
    assert serving.process is not None
    status = Path(f"/proc/{serving.process.pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    assert found
    return int(found[1]) * 1024


# --- who reads too slowly ----------------------------------------------------------------------


@pytest.mark.long(15)
async def test_a_stalled_reader_is_closed_and_slows_nobody(lax: Serving) -> None:
    """One of two hundred stops reading. It alone is closed, as slow, and the others' events come
    as fast as without it. The bounds are wide: the machine is small and shared; tests/bench/
    slow_reader.py measures."""
    async with AsyncExitStack() as stack:
        show = await Show.open(stack, lax.url, watchers=200, rooms=4)
        await show.play(40, rate=40)
        without = await show.play(160, rate=40)
        stalled = stack.enter_context(show.stall())
        seen = len(_slow(lax))
        both: list[float] = []
        while len(_slow(lax)) == seen:
            assert len(both) < 600 * 200, "the stalled reader is not noticed"
            both += (await show.play(50, rate=40)).all
        with_it = Latencies(both)
        print(
            f"p99 without: {without.quantile(0.99):.1f} ms, with: {with_it.quantile(0.99):.1f} ms"
        )
        assert with_it.quantile(0.5) < 2 * without.quantile(0.5) + 25
        assert with_it.quantile(0.99) < 3 * without.quantile(0.99) + 250
        assert len(_slow(lax)) == seen + 1
        assert not any(watcher.lost for watcher in show.watchers)
        assert stalled.closed() in (Close.SLOW, None)  # None: it was cut off with its data unread


def test_a_slow_client_that_reads_in_time_gets_the_close_code(lax: Serving) -> None:
    with Raw(lax.url, receive_buffer=4_096) as raw:
        _clog(lax, raw)
        assert raw.closed() == Close.SLOW


def test_a_client_that_never_reads_is_cut_off(lax: Serving) -> None:
    """The close frame waits behind what is not read; the connection does not."""
    with Raw(lax.url, receive_buffer=4_096) as raw:
        _clog(lax, raw)
        wait_for(lambda: _cut(raw), "the connection's end")


def test_unread_answers_to_pings_are_bounded(lax: Serving) -> None:
    """The library answers pings by itself; whoever sends them without reading is closed."""
    before = memory_of(lax)
    with Raw(lax.url, receive_buffer=4_096) as raw:
        raw.socket.settimeout(5)
        with suppress(Ended, TimeoutError):
            _write_often(raw, masked(PING, b"x" * 125) * 100, 5_000)
        wait_for(lambda: _cut(raw), "the connection's end")
    assert memory_of(lax) - before < 8_000_000


def _slow(serving: Serving) -> list[object]:
    return [entry for entry in serving.logged if entry["event"] == "closed as slow"]


def _clog(serving: Serving, raw: Raw) -> None:
    """Ask for so much, without reading, that the server closes."""
    seen = len(_slow(serving))
    raw.hello()
    raw.send(id=1, type="create", nonce="n", game="veletas")
    room = raw.answer()["room"]
    for number in range(2, 2_000):
        if len(_slow(serving)) > seen:
            return
        raw.send(id=number, type="legal", room=room)
        raw.send(id=number, type="join", room=room)
    wait_for(lambda: len(_slow(serving)) > seen, "the slow one to be noticed")


def _cut(raw: Raw) -> bool:
    """Whether writing into a connection fails, as it does once the other side is gone."""
    try:
        for _ in range(3):
            raw.write(masked(PONG, b""))
            time.sleep(0.05)
    except Ended:
        return True
    return False


def _write_often(raw: Raw, data: bytes, times: int) -> None:
    for _ in range(times):
        raw.write(data)


# --- what is no message ------------------------------------------------------------------------

MSGPACK = {
    "a map that claims 2^32 entries": b"\xdf\xff\xff\xff\xff",
    "an id that claims to be an array of 2^32": b"\x81\xa2id\xdd\xff\xff\xff\xff",
    "an unknown field of 2^32 entries": b"\x82\xa4type\xa4ping\xa1x\xdf\xff\xff\xff\xff",
    "text that claims 4 GB": b"\x81\xa2id\xdb\xff\xff\xff\xff",
    "arrays in arrays": b"\x81\xa2id" + b"\x91" * 16_000,
    "maps in maps": b"\x81\xa1a" * 5_000,
    "huge arrays in huge arrays": b"\x81\xa2id" + b"\xdc\xff\xff" * 5_000,
    "NaN": b"\x82\xa4type\xa4ping\xa2id\xcb\x7f\xf8\0\0\0\0\0\0",
    "a number over 64 bits' half": b"\x82\xa4type\xa4ping\xa2id\xcf" + b"\xff" * 8,
    "invalid UTF-8": b"\x82\xa2id\x01\xa4type\xa2\xff\xfe",
    "an extension": b"\x82\xa4type\xa4ping\xa2id\xd6\xff\0\0\0\0",
    "two types": b"\x83\xa4type\xa4ping\xa2id\x01\xa4type\xa5rooms",
    "something after the end": b"\x82\xa4type\xa4ping\xa2id\x01\xc0",
    "nothing": b"",
}
JSON = {
    "a number of 16,000 digits": b'{"type":"ping","id":' + b"9" * 16_000 + b"}",
    "infinity": b'{"type":"ping","id":1e999}',
    "NaN": b'{"type":"ping","id":NaN}',
    "arrays in arrays": b'{"type":"ping","id":' + b"[" * 16_000,
    "half a character": rb'{"type":"\ud800","id":1}',
    "a name of half a character": rb'{"type":"hello","id":1,"name":"\udc00\ud800"}',
    "a field with a very long name": b'{"type":"ping","id":1,"' + b"x" * 16_000 + b'":1}',
}
IN_PIECES = (
    masked(BINARY, b"\x82\xa4type\xa4ping", fin=False)
    + masked(0, b"", fin=False) * 120
    + masked(0, b"\xa2id\x01")
)
"""One message, in nearly as many frames as it may have."""

REFUSALS = {Code.MALFORMED, Code.BAD_FIELD, Code.UNKNOWN_TYPE}


@pytest.mark.parametrize(
    ("codec", "data"),
    [("msgpack", data) for data in MSGPACK.values()] + [("json", data) for data in JSON.values()],
    ids=[*(f"msgpack {name}" for name in MSGPACK), *(f"json {name}" for name in JSON)],
)
def test_an_invalid_message_is_refused_without_other_effects(
    lax: Serving, codec: str, data: bytes
) -> None:
    with Raw(lax.url, codec) as raw:
        raw.send_bytes(data)
        error = raw.answer()
        assert error["type"] == "error"
        assert error["code"] in REFUSALS
        assert len(error["text"]) < 300
        raw.hello()


def test_the_last_of_duplicate_keys_counts(lax: Serving) -> None:
    with Raw(lax.url, "json") as raw:
        raw.hello()
        raw.send_bytes(b'{"type":"ping","id":3,"id":4}')
        assert raw.answer()["id"] == 4


def test_refusals_do_not_grow_the_memory(lax: Serving) -> None:
    """Thousands of refusals, on connections that are closed for them one after the other."""

    def attack() -> None:
        for data in MSGPACK.values():
            with Raw(lax.url) as raw:
                for _ in range(15):
                    raw.send_bytes(data)
                    assert raw.answer()["type"] == "error"
                raw.send_bytes(data)
                assert raw.closed() == Close.TOO_MANY_ERRORS

    for _ in range(3):
        attack()
    before = memory_of(lax)
    for _ in range(10):
        attack()
    assert memory_of(lax) - before < 4_000_000


@pytest.mark.parametrize(
    ("name", "frames", "code"),
    [
        ("too large", masked(BINARY, b"x" * 16_385), Close.TOO_LARGE),
        ("too large in pieces",
         masked(BINARY, b"x" * 16_000, fin=False) + masked(0, b"x" * 400), Close.TOO_LARGE),
        ("announced as huge", b"\x82\xff\x7f" + b"\xff" * 7 + b"\0" * 4, Close.TOO_LARGE),
        ("compressed, though that was not agreed on",
         masked(BINARY, b"\x4a\xcb\xcf\x07\x00", rsv=4), Close.PROTOCOL_ERROR),
        ("unmasked", b"\x82\x01x", Close.PROTOCOL_ERROR),
        ("an unknown opcode", masked(5, b""), Close.PROTOCOL_ERROR),
        ("a ping in pieces", masked(PING, b"", fin=False), Close.PROTOCOL_ERROR),
        ("a piece of nothing", masked(0, b""), Close.PROTOCOL_ERROR),
        ("a close of one byte", masked(CLOSE, b"x"), Close.PROTOCOL_ERROR),
        ("text in a msgpack session", masked(TEXT, b"{}"), Close.UNSUPPORTED_DATA),
        ("pings without end", masked(PING, b"") * 2_000, Close.FLOODING),
        ("pongs without end", masked(PONG, b"") * 2_000, Close.FLOODING),
        ("many messages in many pieces", IN_PIECES * 10, Close.FLOODING),
    ],
)  # fmt: skip
def test_frames_that_break_websocket_close_the_connection(
    lax: Serving, name: str, frames: bytes, code: Close
) -> None:
    with Raw(lax.url) as raw:
        raw.write(frames)
        assert raw.closed() == code


def test_a_text_frame_that_is_not_utf_8_closes_the_connection(lax: Serving) -> None:
    with Raw(lax.url, "json") as raw:
        raw.write(masked(TEXT, b'{"type":"\xff"}'))
        assert raw.closed() == Close.INVALID_TEXT


def test_a_message_in_countless_fragments_closes_the_connection(lax: Serving) -> None:
    with Raw(lax.url) as raw:
        raw.write(masked(BINARY, b"", fin=False))
        with suppress(Ended):
            _write_often(raw, masked(0, b"", fin=False) * 100, 100)
        assert raw.closed() in (Close.PROTOCOL_ERROR, Close.TOO_LARGE, None)


# --- who does not come to the point ------------------------------------------------------------


def test_an_unfinished_handshake_is_closed_in_time(lax: Serving) -> None:
    url = urlsplit(lax.url)
    with socket.create_connection((url.hostname, url.port), 60) as line:
        line.sendall(b"GET /ws HTTP/1.1\r\nHost: x\r\n")
        assert line.recv(1_000) == b""


def test_an_endless_header_is_refused(lax: Serving) -> None:
    url = urlsplit(lax.url)
    with socket.create_connection((url.hostname, url.port), 60) as line:
        line.sendall(b"GET /ws HTTP/1.1\r\nX: ")
        wait_for(lambda: _refused(line, b"x" * 10_000), "the end of it")


def test_a_head_of_many_long_headers_is_refused_before_it_ends(lax: Serving) -> None:
    """Each line may be as long as it is, and so many lines may be there."""
    url = urlsplit(lax.url)
    with socket.create_connection((url.hostname, url.port), 60) as line:
        line.sendall(b"GET /ws HTTP/1.1\r\n")
        with suppress(ConnectionError):
            for number in range(5):
                line.sendall(b"X-%d: %s\r\n" % (number, b"x" * 8_000))
        assert line.recv(1_000).startswith(b"HTTP/1.1 431 ")


def test_a_message_may_come_in_many_pieces(lax: Serving) -> None:
    with Raw(lax.url) as raw:
        raw.hello()
        raw.write(IN_PIECES)
        answer = raw.answer()
        assert (answer["type"], answer["id"]) == ("ok", 1)


def _refused(line: socket.socket, data: bytes) -> bool:
    try:
        line.sendall(data)
    except ConnectionError:
        return True
    return False


def test_a_connection_without_hello_is_closed(lax: Serving) -> None:
    with Raw(lax.url) as raw:
        assert raw.closed() == Close.HELLO_TIMEOUT


@pytest.mark.parametrize("header", ["Host", "Origin", "Sec-WebSocket-Key", "Upgrade"])
def test_repeated_headers_are_answered(lax: Serving, header: str) -> None:
    with Raw(lax.url, headers={header: "http://elsewhere.example"}) as raw:
        assert raw.status in (101, 400, 403, 426)
    line = request(lax.url).replace(b"/ws", b"/", 1)
    url = urlsplit(lax.url)
    with socket.create_connection((url.hostname, url.port), 60) as plain:
        plain.sendall(line.replace(b"\r\n\r\n", b"\r\nHost: again\r\n\r\n"))
        assert b" 200 " in plain.recv(1_000)


# --- limits ------------------------------------------------------------------------------------


async def test_requests_over_the_rate_are_refused_with_the_wait(strict: Serving) -> None:
    async with await Peer.open(strict.url) as peer:
        sent = [await peer.send(Ping) for _ in range(100)]
        answers = [await peer.answer(number) for number in sent]
        refused = [answer for answer in answers if isinstance(answer, Error)]
        assert 20 <= len(refused) <= 41
        waits = [answer.retry_ms for answer in refused]
        assert all(wait is not None and 0 < wait <= 1_000 for wait in waits)


def test_a_client_that_floods_is_closed(tmp_path: Path) -> None:
    """The rate is so low that also a slow machine refuses 200 before one is granted in between."""
    rate = "--connection-rate", "1"
    with Serving(tmp_path, *rate) as serving, Raw(serving.url) as raw:
        raw.hello()
        for number in range(400):
            raw.send(id=number, type="ping")
        codes = [raw.message().get("code") for _ in range(250)]
        assert set(codes) == {None, Code.RATE}
        assert raw.closed() == Close.FLOODING


def test_a_user_on_many_connections_has_one_rate(strict: Serving) -> None:
    with ExitStack() as stack:
        first = stack.enter_context(Raw(strict.url))
        token = first.hello()["token"]
        raws = [first] + [stack.enter_context(Raw(strict.url)) for _ in range(2)]
        for raw in raws[1:]:
            raw.hello(token=token)
        for raw in raws:
            for number in range(1, 61):
                raw.send(id=number, type="ping")
        answered = [sum(raw.answer()["type"] == "ok" for _ in range(60)) for raw in raws]
        assert 118 <= sum(answered) <= 160, answered


def test_connections_of_a_user_are_bounded(strict: Serving) -> None:
    with ExitStack() as stack:
        first = stack.enter_context(Raw(strict.url))
        token = first.hello()["token"]
        for _ in range(2):
            stack.enter_context(Raw(strict.url)).hello(token=token)
        with Raw(strict.url) as over:
            answer = over.ask(id=1, type="hello", token=token)
            assert answer["code"] == Code.LIMIT
            over.hello()  # somebody else may
        first.socket.close()
        wait_for(lambda: _greeted(strict, token), "room for one more")


def _greeted(serving: Serving, token: str) -> bool:
    with Raw(serving.url) as raw:
        answer = raw.ask(id=1, type="hello", token=token)
    return bool(answer["type"] == "ok")


def test_connections_of_an_address_are_bounded(strict: Serving) -> None:
    with ExitStack() as stack:
        opened: list[Raw] = []
        wait_for(lambda: _fill(strict, stack, opened), "the connections of other tests to end")
        with Raw(strict.url) as over:
            assert over.status == 429
        with Raw(strict.url, headers={"X-Forwarded-For": "203.0.113.7"}) as liar:
            assert liar.status == 429
        opened[0].socket.close()
        wait_for(lambda: _status(strict) == 101, "room for one more")


def _fill(serving: Serving, stack: ExitStack, opened: list[Raw]) -> bool:
    """Have five connections, if so many are to be had by now."""
    while len(opened) < 5:
        raw = Raw(serving.url)
        if raw.status != 101:
            raw.socket.close()
            return False
        opened.append(stack.enter_context(raw))
    return True


def _status(serving: Serving, headers: dict[str, str] | None = None) -> int:
    with Raw(serving.url, headers=headers) as raw:
        return raw.status


@pytest.mark.parametrize(
    ("origin", "status"),
    [
        ("http://{host}", 101),
        ("https://{host}", 101),
        ("http://elsewhere.example", 403),
        ("http://{host}.elsewhere.example", 403),
        ("null", 403),
        ("http://[", 403),
    ],
)
def test_foreign_origins_are_refused(lax: Serving, origin: str, status: int) -> None:
    host = urlsplit(lax.url).netloc
    assert _status(lax, {"Origin": origin.format(host=host)}) == status


def test_rooms_of_a_user_are_bounded(strict: Serving) -> None:
    with Raw(strict.url) as maker, Raw(strict.url) as other:
        maker.hello()
        other.hello()
        rooms = [
            maker.ask(id=n, type="create", nonce=f"n{n}", game="loose", seat=0)["room"]
            for n in range(4)
        ]
        over = maker.ask(id=5, type="create", nonce="n5", game="loose")
        assert over["code"] == Code.LIMIT
        again = maker.ask(id=6, type="create", nonce="n2", game="loose", seat=0)
        assert again["room"] == rooms[2]
        theirs = other.ask(id=1, type="create", nonce="a", game="loose")["room"]
        sat = maker.ask(id=7, type="join", nonce="b", room=theirs, seat="any")
        assert sat["code"] == Code.LIMIT
        assert maker.ask(id=8, type="join", room=theirs)["type"] == "ok"
        other.ask(id=2, type="join", nonce="c", room=rooms[0], seat=1)
        assert maker.ask(id=9, type="resign", nonce="d", room=rooms[0])["type"] == "ok"
        assert maker.ask(id=10, type="join", nonce="e", room=theirs, seat=1)["type"] == "ok"
        assert maker.ask(id=11, type="create", nonce="n6", game="loose")["code"] == Code.LIMIT
