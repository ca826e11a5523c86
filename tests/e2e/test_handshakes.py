"""What comes to the port and is no handshake of ours is refused in our words, and nobody else is
disturbed: beside every test a game of two others goes on to its end."""

from __future__ import annotations

import asyncio
import gzip

import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus
from websockets.typing import Subprotocol

from support.peer import BOUND
from support.serving import Serving

pytestmark = pytest.mark.usefixtures("bystanders")


async def fetched(server: Serving, request: bytes) -> bytes:
    """What the port answers until it closes."""
    host, port = server.http.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    try:
        writer.write(request)
        async with asyncio.timeout(BOUND):
            return await reader.read()
    finally:
        writer.close()
        await writer.wait_closed()


@pytest.mark.parametrize(
    "offered", [None, ["pierule.2.msgpack"], ["PIERULE.1.JSON"], ["msgpack", "json"]]
)
async def test_a_handshake_without_our_subprotocol_is_refused(
    offered: list[str] | None, server: Serving
) -> None:
    subprotocols = None if offered is None else [Subprotocol(name) for name in offered]
    with pytest.raises(InvalidStatus) as refused:
        async with connect(server.url, subprotocols=subprotocols):
            pass
    assert refused.value.response.status_code == 400
    told = bytes(refused.value.response.body)
    assert told == b"offer one of the subprotocols pierule.1.msgpack, pierule.1.json.\n"


async def test_a_compressed_page_reaches_browsers(server: Serving) -> None:
    answer = await fetched(server, b"GET / HTTP/1.1\r\nAccept-Encoding: gzip\r\n\r\n")
    head, _, body = answer.partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200 ")
    assert b"<title>" in gzip.decompress(body)


UPGRADE = b"Upgrade: websocket\r\nConnection: Upgrade\r\n"


@pytest.mark.parametrize(
    ("request_", "status", "words"),
    [
        (b"GARBAGE\r\n\r\n", 400, b"does not understand this request"),
        (b"\x16\x03\x01\x02\r\n\r\n", 400, b"does not understand this request"),
        (b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\nhello", 400, b"without a body"),
        (b"GET / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", 400, b"without a body"),
        (b"PUT / HTTP/1.1\r\n\r\n", 405, b"Use GET or HEAD"),
        (b"GET /ws HTTP/1.1\r\n\r\n", 426, b"This path is for WebSockets"),
        (b"GET /ws HTTP/1.1\r\n" + UPGRADE + b"\r\n", 400, b"RFC 6455"),
        (b"GET /" + b"y" * 20_000 + b" HTTP/1.1\r\n\r\n", 414, b"address is too long"),
        (b"GET / HTTP/1.1\r\nX: " + b"y" * 20_000 + b"\r\n\r\n", 431, b"headers are too long"),
    ],
)  # fmt: skip
async def test_an_invalid_handshake_is_refused_in_our_words(
    request_: bytes, status: int, words: bytes, server: Serving
) -> None:
    head, _, body = (await fetched(server, request_)).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 %d " % status)
    assert b"X-Content-Type-Options: nosniff" in head
    assert words in body
    assert b"Failed to open" not in body


@pytest.mark.parametrize(
    ("offered", "taken"),
    [
        (["pierule.1.json", "pierule.1.msgpack"], "pierule.1.msgpack"),
        (["chat", "pierule.1.json"], "pierule.1.json"),
    ],
)
async def test_the_server_chooses_the_subprotocol(
    offered: list[str], taken: str, server: Serving
) -> None:
    subprotocols = [Subprotocol(name) for name in offered]
    async with connect(server.url, subprotocols=subprotocols) as socket:
        assert socket.subprotocol == taken
        assert socket.protocol.extensions == []


async def test_a_websocket_at_another_path_is_refused(server: Serving) -> None:
    for path in ("/", "/nothing", "/ws/", "/ws/x"):
        with pytest.raises(InvalidStatus) as refused:
            async with connect(
                f"ws://{server.http}{path}", subprotocols=[Subprotocol("pierule.1.json")]
            ):
                pass
        assert refused.value.response.status_code in (200, 404)


@pytest.mark.parametrize(
    ("path", "status"),
    [("/", 200), ("/?a=b", 200), ("/nothing", 404), ("/ws/", 404), ("/%2e%2e", 404), ("/ws", 426)],
)
async def test_plain_get_requests_are_answered(path: str, status: int, server: Serving) -> None:
    request = f"GET {path} HTTP/1.1\r\nHost: {server.http}\r\n\r\n"
    answer = await fetched(server, request.encode())
    assert answer.startswith(b"HTTP/1.1 %d " % status)
    assert b"Pierule" in answer or status != 200
    assert b"Server:" not in answer


@pytest.mark.parametrize(
    "request_",
    [
        b"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx",
        b"GET / HTTP/0.9\r\n\r\n",
        b"nonsense\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",  # TLS
        b"GET /" + b"x" * 20_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 1_000 + b"\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    ],
)
async def test_a_handshake_cut_off_is_answered_or_closed(request_: bytes, server: Serving) -> None:
    host, port = server.http.split(":")
    reader, writer = await asyncio.open_connection(host, int(port))
    writer.write(request_)
    writer.write_eof()
    async with asyncio.timeout(BOUND):
        try:
            answer = await reader.read()
        except ConnectionResetError:
            answer = b""
    writer.close()
    assert answer == b"" or answer.startswith(b"HTTP/1.1 ")
