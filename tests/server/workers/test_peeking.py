"""A look at requests over real sockets: nothing is taken from them, and nobody waits for long."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator

import pytest

from pierule_server.workers import peeking
from pierule_server.workers.peeking import BYTES, enough, headers, hint, peeked

HEAD = b"GET /ws?bucket=12 HTTP/1.1\r\nHost: here\r\nX-Forwarded-For: 192.0.2.7\r\n\r\n"


@pytest.mark.parametrize(
    ("line", "bucket"),
    [
        (b"GET /ws?bucket=0 HTTP/1.1", 0),
        (b"GET /ws?bucket=63 HTTP/1.1", 63),
        (b"GET /ws?a=b&bucket=7&c HTTP/1.1", 7),
        (b"GET /ws?bucket=64 HTTP/1.1", None),
        (b"GET /ws?bucket=-1 HTTP/1.1", None),
        (b"GET /ws?bucket=007 HTTP/1.1", None),
        (b"GET /ws?bucket=1x HTTP/1.1", None),
        (b"GET /ws?xbucket=1 HTTP/1.1", None),
        (b"GET /ws HTTP/1.1", None),
        (b"GET /?bucket=1 HTTP/1.1", None),
        (b"POST /ws?bucket=1 HTTP/1.1", None),
        (b"\x16\x03\x01\x02\x00", None),
        (b"", None),
    ],
)
def test_the_bucket_is_read_from_the_request_line(line: bytes, bucket: int | None) -> None:
    assert hint(line + b"\r\nHost: here\r\n\r\n") == bucket


def test_headers_are_read_once_they_are_complete() -> None:
    found = headers(HEAD)
    assert found is not None
    assert found.get_all("x-forwarded-for") == ["192.0.2.7"]
    assert headers(HEAD[:-1]) is None
    assert headers(b"GET / HTTP/1.1\r\nno header\r\n\r\n") is None
    assert headers(b"GET / HTTP/1.1\r\nHost: a\rX: b\r\n\r\n") is None, "found by `make fuzz`"


def test_a_peek_is_enough_at_the_end_of_what_is_needed() -> None:
    assert enough(HEAD, whole=True)
    assert not enough(HEAD[:-1], whole=True)
    assert enough(HEAD[:-1], whole=False)
    assert not enough(b"GET /ws", whole=False)
    assert enough(b"A" * BYTES, whole=True)
    assert enough(b"\x16\x03\x01", whole=False)  # TLS, which we do not speak


@pytest.fixture
def ends() -> Iterator[tuple[socket.socket, socket.socket]]:
    client, server = socket.socketpair()
    with client, server:
        server.setblocking(False)
        yield client, server


async def test_peeked_bytes_stay_in_the_socket(
    ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, server = ends
    monkeypatch.setattr(peeking, "SECONDS", 60)
    looking = asyncio.create_task(peeked(server, whole=True))
    for part in (HEAD[:5], HEAD[5:40], HEAD[40:]):
        client.send(part)
        await asyncio.sleep(0)
    assert await looking == HEAD
    assert server.recv(BYTES) == HEAD


async def test_a_client_that_disconnects_is_dropped(
    ends: tuple[socket.socket, socket.socket],
) -> None:
    client, server = ends
    client.close()
    assert await peeked(server, whole=False) is None


@pytest.mark.parametrize("sent", [b"", b"GET /w"])
async def test_a_slow_client_is_passed_on_as_it_is(
    sent: bytes, ends: tuple[socket.socket, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    client, server = ends
    monkeypatch.setattr(peeking, "SECONDS", 0.05)
    client.send(sent)
    assert await peeked(server, whole=False) == sent
